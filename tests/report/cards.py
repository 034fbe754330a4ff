"""Model cards in every shape that people write, for property tests: pieces put together by a seeded generator."""

from __future__ import annotations

import random

FRONT_MATTERS = (
    "",
    "---\nlicense: mit\n---\n",
    "---\n---\n",
    "---\n# only a comment\n---\n",
    "---  \nlicense: mit  # why not\ntags:\n- a\n- 'b'   # odd\nlanguage: [en, de]\n---  \n",
    "---\nmodel-index:\n- name: glove-6b-50d\n  results: []\nlicense: other\n---\n",
    "---\nmodel-index: []\n---\n",
    "---\nmodel-index:\n---\n",
    "---\nlicense: mit\nmodel-index:\n  - name: 'glove-6b-50d'  # ours\n    results:\n"
    "      - task: {type: text-classification}\n"
    "        dataset:\n          type: glue\n          name: GLUE\n        metrics:\n          - type: accuracy\n"
    "            value: 0.90  # best\n# the end\ntags: [x]\n---\n",
    "---\nmodel-index: [{name: someone-else, results: [{task: {type: t}, dataset: {type: d, name: D},"
    " metrics: [{type: m, value: 1}]}]}]\n---\n",
    "---\nbroken: [\n---\n",
    "---\n- a\n- list\n---\n",
    "---\n\ttab: 1\n---\n",
    "---\nmodel-index: 5\n---\n",
    "---\nx: &a {k: 1}\ny: *a\n---\n",
    "---\ntext: |\n  kept\n   as it is\n\nlast: >-\n  folded\n---\n",
    '---\nunicode: Größe, şeker, 中文\nquoted: "a\\u00e9"\n? odd key\n: odd value\n---\n',
    "---\nunclosed: true\n",
    "\n\n---\nlicense: mit\n---\n",
)

SECTIONS = (
    "# Model Card for glove-6b-50d\n\nSome text.\n",
    "# One\n\n# Two\n\n# Three\n",
    "Title\n=====\n\nPart\n----\n\ntext\n",
    "## Bias, Risks, and Limitations\n\nKnown problems.\n\n### Recommendations\n\nBe careful.\n",
    "## Bias, Risks, and Limitations\n### Recommendations\n",
    "Bias, Risks and Limitations\n---------------------------\n\nText right under it.\n",
    "#### Limitations and bias\n\n- a list\n- of things\n",
    "## Bias\n\n> a quote that\ngoes on lazily\n",
    "## Bias\n\n```python\n# Bias, Risks, and Limitations\n<!-- evaluate-bias:begin -->\n```\n",
    "~~~~\n## Bias\n```\n<!-- evaluate-bias:end -->\n~~~~\n",
    "    ## Bias in indented code\n    <!-- evaluate-bias:begin -->\n",
    "<!--\n## Bias, Risks, and Limitations\n\nstill a comment\n-->\n",
    "<details>\n<summary>More</summary>\n\n## Hidden\n\n</details>\n",
    "<div align='center'>\n<b>Bias</b>\n</div>\n",
    "<pre>\n<!-- evaluate-bias:begin -->\n\n## Bias\n</pre>\n",
    "| a | b |\n|---|---|\n| ## Bias | `<!-- evaluate-bias:end -->` |\n",
    "1. one\n   ```\n   # Bias\n   ```\n2. two\n\n   # Bias in a list\n",
    "- ```\n  ## Bias\n  ```\n",
    "[ref]: http://example.org 'Bias'\n",
    "## Biased towards brevity ##\n\n***\n\n---\n",
    "Text with `<!-- evaluate-bias:begin -->` as code and a \\# sign.\n",
    "## Verzerrungen, Risiken und Einschränkungen\n\nText mit Umlauten.\n",
    "## ⚠️ **Bias**, _Risks_, and [Limitations](#x) {#bias}\n\ntext\n",
    "##NoSpace Bias\n\n#\n\n##\n",
    "\x1b[31m\u202e\u2066 \u2028\u2029\x85\x0b\x0c\n",
    "<script>alert(1)</script>\n",
    "trailing spaces   \n\t\n  \n",
    "## How to Get Started with the Model\n\n```\nprint()\n```\n",
)

ENDINGS = (
    "",
    "\n",
    "\n\n\n",
    "last line without end",
    "```\nnever closed",
    "<!-- never closed",
    "<script>\nopen",
    "  ",
)


def random_card(seed: int) -> str:
    """A card from random pieces, with random line ends; the same for the same seed."""
    rng = random.Random(seed)
    pieces = [rng.choice(FRONT_MATTERS)]
    pieces += rng.choices(SECTIONS, k=rng.randrange(6))
    pieces.append(rng.choice(ENDINGS))
    text = rng.choice(("", "\n")).join(pieces) if rng.random() < 0.3 else "".join(pieces)
    if rng.random() < 0.3:
        text = _damaged(text, rng)
    kind = rng.random()
    if kind < 0.25:
        text = text.replace("\n", "\r\n")
    elif kind < 0.3:
        text = text.replace("\n", "\r")
    elif kind < 0.35:
        text = "".join(c if c != "\n" or rng.random() < 0.5 else "\r\n" for c in text)
    return ("\ufeff" + text) if rng.random() < 0.05 else text


def _damaged(text: str, rng: random.Random) -> str:
    """Delete, double or insert a little anywhere."""
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        choice = rng.random()
        if choice < 0.4:
            text = text[:at] + text[at + rng.randrange(1, 12) :]
        elif choice < 0.7:
            text = text[:at] + rng.choice("\n#`<>-|*\\ \t~=[]&é中\u2028\x0b") + text[at:]
        else:
            text = text[:at] + text[at : at + 30] + text[at:]
    return text
