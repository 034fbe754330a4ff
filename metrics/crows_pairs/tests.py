"""Inputs of crows_pairs and what it must answer, written by `make modules`."""

from evaluate_bias.hub.golden import module_cases

cases = module_cases("crows_pairs")
test_cases = [{**case["inputs"], "result": case["result"]} for case in cases]
