"""What the records of methods of one paper say alike."""

from __future__ import annotations

from typing import Any, Final

BAI_2025: Final[dict[str, Any]] = {
    "paper": (
        "Bai, Wang, Sucholutsky and Griffiths (2025): Explicitly unbiased large language models still form biased "
        "associations. Proceedings of the National Academy of Sciences 122"
    ),
    "url": "https://arxiv.org/abs/2402.04105",
    "bibtex": """@article{bai2025explicitly,
  title         = {Explicitly unbiased large language models still form biased associations},
  author        = {Bai, Xuechunzi and Wang, Angelina and Sucholutsky, Ilia and Griffiths, Thomas L.},
  journal       = {Proceedings of the National Academy of Sciences},
  volume        = {122},
  year          = {2025},
  eprint        = {2402.04105},
  archiveprefix = {arXiv}
}""",
}
