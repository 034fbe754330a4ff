"""The Space's page of matched_guise, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("matched_guise")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
