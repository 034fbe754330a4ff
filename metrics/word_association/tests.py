"""Inputs of word_association and what it must answer, written by `make modules`."""

from evaluate_bias.hub.golden import module_cases

cases = module_cases("word_association")
test_cases = [{**case["inputs"], "result": case["result"]} for case in cases]
