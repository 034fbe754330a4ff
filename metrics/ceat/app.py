"""The Space's page of bias/ceat."""

from evaluate_bias.ui import module_page

demo = module_page("ceat")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
