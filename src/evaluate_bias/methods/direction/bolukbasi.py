"""What the records of the methods of Bolukbasi et al. (2016) share."""

from __future__ import annotations

from ...method import Secondary

__all__ = ["BIBTEX", "EXPLAINED_VARIANCE", "PAPER", "URL"]

PAPER = (
    "Bolukbasi, Chang, Zou, Saligrama and Kalai (2016): Man is to computer programmer as woman is to homemaker? "
    "Debiasing word embeddings. NeurIPS 2016, 4349-4357"
)
URL = "https://papers.nips.cc/paper/6228"
BIBTEX = """@inproceedings{bolukbasi2016man,
  title     = {Man is to Computer Programmer as Woman is to Homemaker? Debiasing Word Embeddings},
  author    = {Bolukbasi, Tolga and Chang, Kai-Wei and Zou, James and Saligrama, Venkatesh and Kalai, Adam},
  booktitle = {Advances in Neural Information Processing Systems 29},
  pages     = {4349--4357},
  year      = {2016}
}"""

EXPLAINED_VARIANCE = Secondary(
    key="explained_variance",
    title="explained variance",
    meaning=(
        "Share of the variance of the pairs that the direction explains; "
        "a low one means that there is no single direction."
    ),
)
