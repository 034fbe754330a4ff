"""Bias-NLI: does a classifier of inferences stay neutral where nothing follows?"""
