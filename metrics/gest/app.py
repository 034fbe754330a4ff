"""The Space's page of gest, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("gest")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
