"""The Space's page of relative_decision, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("relative_decision")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
