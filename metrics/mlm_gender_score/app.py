"""The Space's page of mlm_gender_score, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("mlm_gender_score")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
