"""How far templates differ in what a masked language model expects of them, as Kullback-Leibler divergences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError
from ....models.masked import MaskedRequest
from ....result import Skipped
from ...template_filling import fill, read_words

if TYPE_CHECKING:
    from ....data.templates import Template


def kl_divergence(log_p: ArrayLike, log_q: ArrayLike) -> float:
    """Kullback-Leibler divergence of p from q, sum of p (log p − log q), in nats.

    Args:
        log_p: log-weights of p over a set of tokens, shape (n,); they are normalised first.
        log_q: those of q over the same tokens.

    Returns:
        0 or more; 0 for equal distributions. It is not symmetric.

    Raises:
        InputError: shapes differ, or a value is NaN or infinite.

    Examples:
        >>> round(kl_divergence(np.log([0.5, 0.5]), np.log([0.9, 0.1])), 4)
        0.5108
    """
    from scipy.special import log_softmax

    p, q = np.asarray(log_p, dtype=np.float64), np.asarray(log_q, dtype=np.float64)
    if p.ndim != 1 or p.shape != q.shape or not p.size:
        raise InputError(
            f"both distributions must be over the same tokens, not of shapes {p.shape} and {q.shape}"
        )
    if not (np.isfinite(p).all() and np.isfinite(q).all()):
        raise InputError("a log-probability is NaN or infinite: a divergence needs finite ones")
    p, q = log_softmax(p), log_softmax(q)
    # KL(p‖q) = Σ p (log p − log q); p and q hold normalised logarithms, shape (n,).
    return max(0.0, float(np.exp(p) @ (p - q)))


def template_divergences(
    model: Any, templates: Sequence[Template], words: Sequence[str], mask: str
) -> dict[str, Any] | str:
    """Compare the distributions at the masked target of every template with that of the first.

    ``rows`` has the divergence of each template from the first one, in nats, over the full vocabulary and over those
    ``words`` that are one token in every template, in both directions. Text instead: why there is none.
    """
    fillings = [[fill(t, target=word, mask=mask) for t in templates] for word in words]
    clozes_in_order = iter(read_words(model, [f for row in fillings for f in row], masks=True))
    tokens: dict[str, list[int]] = {}
    skipped: list[Skipped] = []
    for word in words:
        clozes = [next(clozes_in_order) for _ in templates]
        reason = next((c for c in clozes if isinstance(c, str)), "")
        ids = [[c.encoded.ids[p] for p in c.pieces["target"]] for c in clozes if not isinstance(c, str)]
        if not reason and any(len(pieces) > 1 for pieces in ids):
            reason = "more than one token, so one mask cannot stand for it"
        if reason:
            skipped.append(Skipped(word, reason, "divergence"))
        else:
            tokens[word] = [pieces[0] for pieces in ids]
    # The article stays that of the word which the mask replaces: the first one that every template takes.
    model_word = next((i for i, row in enumerate(fillings) if not any(isinstance(f, str) for f in row)), None)
    if model_word is None:
        return "no word fits every template"
    masked = [f.replace({"target": mask}) for f in fillings[model_word] if not isinstance(f, str)]
    opened = read_words(model, masked, masks=True)
    requests = []
    for cloze in opened:
        if isinstance(cloze, str) or len(cloze.pieces["target"]) != 1:
            return "the model does not read its mask token in every template"
        requests.append(MaskedRequest(cloze.encoded, cloze.pieces["target"]))
    log_p = [np.asarray(d[0], dtype=np.float64) for d in model.mask_distributions(requests)]
    columns = list(tokens.values())
    # log_p: one array of shape (vocabulary,) per template; restricted: one of shape (words,).
    restricted = [p[[ids[i] for ids in columns]] for i, p in enumerate(log_p)] if len(columns) > 1 else None
    rows = [
        {
            "name": template.id,
            "full": kl_divergence(p, log_p[0]),
            "full_reverse": kl_divergence(log_p[0], p),
            "words": kl_divergence(restricted[i], restricted[0]) if restricted else None,
            "words_reverse": kl_divergence(restricted[0], restricted[i]) if restricted else None,
        }
        for i, (template, p) in enumerate(zip(templates, log_p, strict=True))
    ]
    return {
        "from": templates[0].id,
        "unit": "nats",
        "rows": rows,
        "words": tuple(tokens),
        "words_left_out": tuple(skipped),
    }
