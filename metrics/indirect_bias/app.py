"""The Space's page of indirect_bias, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("indirect_bias")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
