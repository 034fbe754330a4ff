"""The Space's page of crows_pairs, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("crows_pairs")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
