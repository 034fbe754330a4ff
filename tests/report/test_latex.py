"""Tables in LaTeX: every name of every method compiles, is shown or named, and stays on the page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from evaluate_bias.registry import METHODS
from evaluate_bias.report.by_language import to_latex_by_language
from evaluate_bias.report.latex import latex
from evaluate_bias.report.tables import to_latex
from evaluate_bias.result import Coverage, Estimate, Result, Row
from tests.report.samples import weat_item, weat_result

HOSTILE = (
    "Δ and αΩς, ά Ϟ",
    "护士 看护",
    "ممرضة",
    "👩🏽‍⚕️ nurse",
    "x̂ n̈ e\u0301\u0302 q\u20dd",
    "Größe, œuvre, İstanbul, Łódź, Đorđe, ế, ñ, Å",
    "[5pt] row",
    "*starred row",
    "\\input{x} \\end{tabular} $1^2_3$ 50% & #1 ~ {}",
    "a\rb\x00c\u202ed\u200be",
    "''quoted'' ``ticks`` --- ,, << >> ?` !` \"",
    "a_name_without_any_space_that_is_much_too_long_for_a_column_" * 3,
    "many words that are together much longer than any column could ever be, " * 5,
    "ﬁ ½ № ™ ㏒ 𝔘",
)


def hostile_results() -> list[Result]:
    """A result of every method, with such names wherever there can be one, and all its secondary values."""
    results = []
    for i, record in enumerate(METHODS.values()):
        estimates = {s.key: Estimate(-123.456, -200.5, 200.25) for s in record.secondary}
        kind = "test" if record.aggregation else "group"
        names = [HOSTILE[(i + k) % len(HOSTILE)] for k in range(4)]
        rows = [
            Row(
                name=name, kind=kind, score=-0.5, ci_low=-1.25, ci_high=0.5, p_value=0.01, p_low=1e-05, p_high=0.25,
                p_holm=0.04, n=300 + k, estimates=estimates, coverage=Coverage(1000, 1234),
                labels={"x": name, "y": HOSTILE[k], "a": "a", "b": "b"} if kind == "test" else {},
            )
            for k, name in enumerate(names)
        ]  # fmt: skip
        results.append(
            Result(
                method=record.name,
                score=-0.5,
                score_range=record.score_range,
                direction=record.direction,
                ideal=record.ideal,
                n=1234,
                ci_low=-1.25,
                ci_high=0.5,
                p_value=0.01,
                p_low=1e-05,
                p_high=0.25,
                rows=rows,
                estimates=estimates,
                provenance={"model": {"name": HOSTILE[i % len(HOSTILE)]}},
            )
        )
    return results


@pytest.mark.parametrize("engine", ["pdflatex", "xelatex"])
def test_every_method_and_hostile_names_compile(engine: str, tmp_path: Path) -> None:
    if shutil.which(engine) is None:
        if engine == "pdflatex" and os.environ.get("CI"):
            pytest.fail("make test installs pdflatex, and it is not there")
        pytest.skip(f"no {engine} here (Debian: apt-get install texlive-latex-recommended)")
    (tmp_path / "report.tex").write_text(
        to_latex(hostile_results(), standalone=True, caption="[Δ] 中 50%"), encoding="utf-8"
    )
    for _ in range(2):
        done = subprocess.run(
            [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"],
            cwd=tmp_path, capture_output=True, check=False, timeout=900,
        )  # fmt: skip
        log = (tmp_path / "report.log").read_text("utf-8", errors="replace")
        assert done.returncode == 0, log[-3000:]
    assert (tmp_path / "report.pdf").stat().st_size > 10_000
    assert "Missing character" not in log
    assert [w for w in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(w) > 2] == []


def test_what_cannot_be_typeset_is_named() -> None:
    assert latex("护士 Δ é ế İ 🙂 x̂") == (r"[U+62A4][U+58EB] $\Delta$ \'{e} \'{\^{e}} \.{I} [U+1F642] \^{x}")
    assert latex("ϟ \u0301") == "[U+03DF] [U+0301]"


def test_the_text_is_ascii() -> None:
    text = to_latex(hostile_results(), standalone=True)
    assert text.isascii()
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", text)


def test_no_row_is_taken_for_an_argument_of_the_line_end() -> None:
    text = to_latex([weat_result([weat_item("[5pt]"), weat_item("*")])])
    assert "\n{}[5pt] &" in text
    assert "\n{}* &" in text


def test_latex_is_escaped_and_balanced() -> None:
    item = weat_item(name="50%_of & {all} #1 ~^\\", x="<a|b>")
    text = to_latex([weat_result([item])], caption="A & B", label="tab:x y}")
    assert r"50\%\_of \& \{all\} \#1 \textasciitilde{}\textasciicircum{}\textbackslash{}" in text
    assert r"\caption{A \& B}" in text
    assert r"\label{tab:xy}" in text
    assert text.count(r"\begin{") == text.count(r"\end{")
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    widths = {
        len(re.findall(r"(?<!\\)&", line))
        for line in text.splitlines()
        if line.endswith(r"\\") and "caption" not in line
    }
    assert widths == {8}


def test_long_tables_break_over_pages() -> None:
    items = [weat_item(f"t{i}") for i in range(40)]
    text = to_latex([weat_result(items)])
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 1
    assert r"\begin{tabular}" not in text
    assert text.count("t39 &") == 1


def test_latex_keeps_hyphens_apart() -> None:
    assert latex("a--b ''c'' — `d`") == (
        r"a-{}-b '{}'c'{}' \textemdash{} \textasciigrave{}d\textasciigrave{}"
    )


def test_latex_document_loads_what_the_table_uses() -> None:
    text = to_latex([weat_result()], standalone=True)
    assert text.startswith(r"\documentclass")
    assert text.rstrip().endswith(r"\end{document}")
    for package in ("booktabs", "longtable", "array"):
        assert package in text


def test_tables_by_language_compile_and_have_every_score(tmp_path: Path) -> None:
    results = []
    for k, language in enumerate(("en", "de", "tr")):
        for m in range(12):
            items = [
                weat_item(name, 0.01 * (k + 1) * (m + 1), language=language) for name in ("weat6", "weat7")
            ]
            facts = {
                "model": {"name": f"org/a_model-{m}"},
                "dataset": {"language": language, "source": "x.jsonl"},
            }
            results.append(weat_result(items, provenance=facts))
    results += hostile_results()
    text = to_latex_by_language(results, standalone=True)
    assert text.isascii()
    tables = text.count(r"\begin{tabular}") + text.count(r"\begin{longtable}")
    assert tables >= 3 + len(METHODS) - 1
    for k in range(3):
        for m in range(12):
            assert f"{0.01 * (k + 1) * (m + 1):.2f}" in text
    (tmp_path / "t.tex").write_text(text, encoding="utf-8")
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex here (Debian: apt-get install texlive-latex-recommended)")
    for _ in range(2):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex"],
            cwd=tmp_path, capture_output=True, check=False, timeout=900,
        )  # fmt: skip
        log = (tmp_path / "t.log").read_text("utf-8", errors="replace")
        assert done.returncode == 0, log[-3000:]
    assert [w for w in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(w) > 2] == []


def test_a_table_by_language_puts_models_side_by_side() -> None:
    both = [weat_result(model="a"), weat_result([weat_item("weat6", 0.5, ci_low=-1.0)], model="b")]
    lines = to_latex_by_language(both).splitlines()
    row = next(line for line in lines if line.startswith("weat6 &"))
    assert row.split(" & ")[2:] == ["1.71*", r"0.50 \\"]
    assert next(line for line in lines if line.startswith("weat9 &")).endswith(r"& \textemdash{} \\")


def test_all_tests_of_several_languages_have_a_table_of_their_own() -> None:
    rows = [weat_item("weat6", language=language) for language in ("en", "de")]
    facts = {"model": {"name": "m"}, "dataset": {"source": "words.jsonl"}}
    text = to_latex_by_language([weat_result(rows, provenance=facts, score_range=(0.0, 2.0), ideal=0.359)])
    assert "effect size d: from 0 to 2, ideal 0.359." in text
    assert text.count("effect size d: from -2 to 2, ideal 0.") == 2
