"""The explorer's page, tab by tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..build_tab import build_tab
from ..chat import chat_page
from ..pool import ModelPool
from ..sentence_pairs import pairs_page
from ..serve import new_page
from ..tab import Tab
from ..texts import texts_page
from ..word_lists import word_lists_page
from .about import about_html
from .card import card_tab
from .compare import compare_page
from .levels import levels_page
from .more import more_tab

if TYPE_CHECKING:
    import gradio as gr

_INTRO = (
    "# Bias explorer\n"
    "Measure which social associations word vectors and language models carry: pick an example, look at the "
    "number, its uncertainty, and the words or sentences behind it."
)


def explorer_page(pool: ModelPool | None = None) -> gr.Blocks:
    """Build the page; :func:`~evaluate_bias.ui.launch` serves it.

    Args:
        pool: where models come from; by default named assets and Hub models.

    Returns:
        The page, with its queue set up.
    """
    import gradio as gr

    with new_page("Bias explorer") as (page, session):
        tab = Tab(pool or ModelPool(), session)
        gr.Markdown(_INTRO, elem_id="intro")
        with gr.Tabs(elem_id="tabs"):
            with gr.Tab("Word lists", id="words", elem_id="tab-words"):
                build_tab(tab, word_lists_page(tab))
            with gr.Tab("Sentence pairs", id="pairs", elem_id="tab-pairs"):
                build_tab(tab, pairs_page(tab))
            with gr.Tab("Chat", id="chat", elem_id="tab-chat"):
                build_tab(tab, chat_page(tab))
            with gr.Tab("Texts", id="texts", elem_id="tab-texts"):
                build_tab(tab, texts_page(tab))
            with gr.Tab("More methods", id="more", elem_id="tab-more"):
                more_tab(tab)
            with gr.Tab("Compare", id="compare", elem_id="tab-compare"):
                build_tab(tab, compare_page(tab))
            with gr.Tab("Levels", id="levels", elem_id="tab-levels"):
                build_tab(tab, levels_page(tab))
            with gr.Tab("Model card", id="card", elem_id="tab-card") as opened:
                card_tab(session, opened)
            with gr.Tab("About", id="about", elem_id="tab-about"):
                gr.HTML(about_html(), elem_id="about")
    return page
