"""Which model a card is about: what the card calls it, whose results are written, and on which weights."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from ...errors import InputError
from ...result import Result
from ...text import one_line
from ..data_facts import mappings, model_checksums
from ..lines import model_name
from .block import Outline
from .front_matter import FrontMatterError, front_matter_data, same_model

_TITLE_OF_MODEL = re.compile(r"model card (?:for|of)\s+(?P<name>.+)", re.IGNORECASE)
_BOLD = re.compile(r"\*\*((?:\\.|[^\\])+?)\*\*")


def results_of_model(results: list[Result], model: str | None) -> tuple[list[Result], list[str]]:
    """Return the results of the named model if the results are of several models, and a note on the others.

    Raises:
        InputError: none is of that model.
    """
    names = list(dict.fromkeys(model_name(r) for r in results))
    if model is None or len(names) < 2:
        return results, []
    model_results = [r for r in results if same_model(one_line(model_name(r)), one_line(model))]
    if not model_results:
        of_them = ", ".join(names)[:400]
        raise InputError(
            f"`model` names one model, and the results are of {len(names)}: {of_them}", option="model"
        )
    others = [name for name in names if name not in {model_name(r) for r in model_results}]
    return model_results, [
        f"not included, because they are of other models: the results of {', '.join(others)[:300]}"
    ]


def renamed(results: Iterable[Result], model: str | None) -> list[Result]:
    """Return the results under the name that the card gives their model, unchanged if it gives none.

    Examples:
        >>> result = Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0, n=1)
        >>> model_name(*renamed([result], "org/model"))
        'org/model'
    """
    if model is None:
        return list(results)
    out = []
    for result in results:
        facts = result.provenance.get("model")
        facts = {**facts, "name": model} if isinstance(facts, Mapping) else {"name": model}
        out.append(replace(result, provenance={**result.provenance, "model": facts}))
    return out


def weights_of(results: Iterable[Result]) -> str:
    """Return a short checksum of the weights that were measured, empty if they are unknown or several."""
    sums = {model_checksums(r) for r in results}
    known = sums.pop() if len(sums) == 1 else ()
    return hashlib.sha256("\n".join(known).encode()).hexdigest()[:16] if known else ""


def model_of_block(block: str) -> str:
    """Return the model that a section is about: the first words in bold, empty if nothing is bold."""
    bold = _BOLD.search(block)
    return "" if bold is None else _visible_text(bold[1])


def model_warnings(names: Sequence[str], alias: str, yaml_text: str, card: Outline) -> list[str]:
    """Warn when the results belong to another model than the one that the card names.

    ``alias`` is another name in the card for the model that was measured.
    """
    warnings = []
    if len(names) > 1:
        of_them = f"these results are of {len(names)}: {', '.join(names)}. Choose one with `model`"
        warnings.append(f"a card is about one model, and {of_them}")
    known = _card_models(yaml_text, card)
    strangers = [
        n for n in names if known and not any(same_model(one_line(n), k) or k == alias for k in known)
    ]
    if strangers and (len(names) == 1 or len(strangers) == len(names)):
        warnings.append(
            f"the card is about {' / '.join(known)} and the results are of {', '.join(strangers)}: if that is the same "
            "model, give its name in the card as `model`"
        )
    before = model_of_block(card.block_text)
    if before and before != alias and not any(same_model(n, before) for n in names):
        now = f"it is replaced by one about {', '.join(names)}"
        warnings.append(f"the section that was in the card was about {before}; {now}")
    return warnings


def _visible_text(text: str) -> str:
    """Return what a reader of the rendered Markdown sees."""
    from markdown_it import MarkdownIt

    inline = MarkdownIt("commonmark").parseInline(text)[0].children or ()
    return one_line("".join(t.content for t in inline if t.type in ("text", "code_inline")))


def _card_models(yaml_text: str, card: Outline) -> list[str]:
    with suppress(FrontMatterError):
        names = (m.get("name") for m in mappings(front_matter_data(yaml_text)))
        if known := [one_line(str(name)) for name in names if name]:
            return known
    titles = [_visible_text(h.title) for h in card.headings if h.level == 1]
    model_names = [m["name"] for m in map(_TITLE_OF_MODEL.fullmatch, titles) if m is not None]
    # A title of one word is a model's name. A sentence may be anything.
    model_names += [title for title in titles if title and not re.search(r"\s", title)]
    return [name for name in model_names if name.casefold() not in ("model id", "model", "readme")]
