"""pll_robustness."""
