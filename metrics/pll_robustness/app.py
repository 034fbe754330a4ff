"""The Space's page of pll_robustness, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("pll_robustness")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
