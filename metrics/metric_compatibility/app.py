"""The Space's page of metric_compatibility, written by `make modules`."""

from evaluate_bias.ui import module_page

demo = module_page("metric_compatibility")

if __name__ == "__main__":
    demo.launch(ssr_mode=False, show_error=False)
