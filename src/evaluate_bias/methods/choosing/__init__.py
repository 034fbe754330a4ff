"""Choices of a chat model between labelled options: put in every order and in several wordings, read by rule."""

from .asking import Question
from .reporting import Answers, Asked, Group, Part, choice_finding
from .scores import Score, influence_score, ratio_score

__all__ = [
    "Answers",
    "Asked",
    "Group",
    "Part",
    "Question",
    "Score",
    "choice_finding",
    "influence_score",
    "ratio_score",
]
