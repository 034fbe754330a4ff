"""Inputs of pll and what it must answer, written by `make modules`."""

from evaluate_bias.hub.golden import module_cases

cases = module_cases("pll")
test_cases = [{**case["inputs"], "result": case["result"]} for case in cases]
