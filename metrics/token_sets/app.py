"""The Space's page of token_sets, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("token_sets")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
