"""The Space's page of bias/aula."""

from evaluate_bias.ui import module_page

demo = module_page("aula")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
