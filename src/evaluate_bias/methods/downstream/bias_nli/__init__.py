"""Bias-NLI: does a classifier of inferences stay neutral if nothing follows?"""
