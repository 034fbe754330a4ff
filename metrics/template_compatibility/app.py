"""The Space's page of bias/template_compatibility."""

from evaluate_bias.ui import module_page

demo = module_page("template_compatibility")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
