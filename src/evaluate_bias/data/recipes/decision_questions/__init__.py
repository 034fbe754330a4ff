"""Questions about decisions on persons written for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("decision_questions", "Decision questions packaged with evaluate-bias")
