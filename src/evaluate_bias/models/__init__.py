"""Models: text in, numbers out. :func:`~evaluate_bias.models.load.load_model` opens every kind."""
