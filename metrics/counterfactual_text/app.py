"""The Space's page of counterfactual_text, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("counterfactual_text")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
