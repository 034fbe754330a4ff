"""Inputs of bias_nli and what it must answer, written by `make modules`."""

from evaluate_bias.hub.golden import module_cases

cases = module_cases("bias_nli")
test_cases = [{**case["inputs"], "result": case["result"]} for case in cases]
