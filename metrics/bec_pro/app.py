"""The Space's page of bias/bec_pro."""

from evaluate_bias.ui import module_page

demo = module_page("bec_pro")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
