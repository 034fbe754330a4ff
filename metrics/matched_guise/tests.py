"""Inputs of matched_guise and what it must answer, written by `make modules`."""

from evaluate_bias.hub.golden import module_cases

cases = module_cases("matched_guise")
test_cases = [{**case["inputs"], "result": case["result"]} for case in cases]
