"""Choices of a chat model between labelled options: put in every order and in several prompt variants, read by rule."""

from .asking import Protocol, Question, check_asked, instructions_of, protocol_of, ready_choices
from .reporting import Questionnaire, ReadAnswers, choice_finding, report_choices
from .scores import Score, ratio_score

__all__ = [
    "ReadAnswers",
    "Questionnaire",
    "Protocol",
    "Question",
    "Score",
    "check_asked",
    "choice_finding",
    "instructions_of",
    "protocol_of",
    "ratio_score",
    "ready_choices",
    "report_choices",
]
