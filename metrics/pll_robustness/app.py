"""The Space's page of bias/pll_robustness."""

from evaluate_bias.ui import module_page

demo = module_page("pll_robustness")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
