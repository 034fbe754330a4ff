"""Model cards: the section on measured bias, written between two markers, and nothing else touched."""

from ..texts import LANGUAGES
from .edit import MAX_BYTES, CardUpdate, card, plan_card
from .preview import preview_html
from .section import Level, bias_section

__all__ = [
    "LANGUAGES",
    "MAX_BYTES",
    "CardUpdate",
    "Level",
    "bias_section",
    "card",
    "plan_card",
    "preview_html",
]
