"""The Space's page of bias/mlm_gender_score."""

from evaluate_bias.ui import module_page

demo = module_page("mlm_gender_score")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
