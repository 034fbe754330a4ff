"""The Space's page of template_compatibility, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("template_compatibility")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
