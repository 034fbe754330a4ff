"""Inputs of token_sets and what it must answer, written by `make modules`."""

from evaluate_bias.hub.golden import module_cases

test_cases = module_cases("token_sets")
