"""The Space's page of word_association, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("word_association")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
