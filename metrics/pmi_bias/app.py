"""The Space's page of pmi_bias, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("pmi_bias")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
