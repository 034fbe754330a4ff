"""Pages of the modules' Spaces. Gradio is imported when a page is built; what a page computes can be tested without it.

One kind of page for each kind of data: word lists, sentence pairs, StereoSet's items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InputError
from ..registry import get_method
from .common import allowed_model, headline, parse_words

if TYPE_CHECKING:
    import gradio as gr

__all__ = ["allowed_model", "headline", "module_page", "parse_words"]


def module_page(name: str) -> gr.Blocks:
    """Build the page of one evaluate module.

    Args:
        name: registry name of a method.

    Returns:
        The page; call ``launch()`` on it.

    Raises:
        UnknownNameError: no method has this name.
        InputError: there is no page for the kind of data the method takes.
    """
    from . import geometry, sentence_pairs, stereoset, templates, word_lists

    record = get_method(name)
    builders = {
        "load_seat_tests": word_lists.page,
        "load_word_lists": word_lists.page,
        "load_lpbs_tests": word_lists.page,
        "load_sentence_pairs": sentence_pairs.page,
        "load_stereoset": stereoset.page,
        "load_wsv_words": geometry.wsv_page,
        "load_occupation_test": geometry.compatibility_page,
        "load_bec_pro": templates.professions_page,
        "load_gendered_words": templates.persons_page,
        "load_occupations": templates.occupations_page,
    }
    loader = record.loader.partition(":")[2]
    if loader not in builders:
        raise InputError(
            f"there is no page for {record.name}: it takes other data than {', '.join(builders)}"
        )
    return builders[loader](record)
