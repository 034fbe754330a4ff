"""A few hurtful words written down for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("hurtful_words", "Illustrative hurtful words packaged with evaluate-bias")
