"""The Space's page of bias_nli, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("bias_nli")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
