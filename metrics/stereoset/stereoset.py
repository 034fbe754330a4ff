"""StereoSet Context Association Test (CAT) as an `evaluate` module, written by `make modules`."""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class Stereoset(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `stereoset`."""

    METHOD = "stereoset"
