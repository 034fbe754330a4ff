"""Model cards: the section on measured bias, written between two markers, and nothing else touched."""

from .edit import MAX_BYTES as MAX_BYTES
from .edit import CardUpdate as CardUpdate
from .edit import card as card
from .edit import plan_card as plan_card
from .preview import preview_html as preview_html
from .section import bias_section as bias_section
