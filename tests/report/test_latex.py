"""Tables in LaTeX: every name of every method compiles, is shown or named, and stays on the page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from evaluate_bias.api import measure
from evaluate_bias.registry import METHODS
from evaluate_bias.report.latex import breakable, latex, to_latex
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
                name=name, kind=kind, score=-0.5, ci_low=-1.25, ci_high=0.5, p_value=0.01, p_error=0.001,
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
                p_error=0.001,
                rows=rows,
                estimates=estimates,
                provenance={"model": {"name": HOSTILE[i % len(HOSTILE)]}},
            )
        )
    return results


def engine_needs(engine: str) -> None:
    if shutil.which(engine) is None or (engine != "pdflatex" and not _knows_unicode(engine)):
        if engine == "pdflatex" and os.environ.get("CI"):
            pytest.fail("make test installs pdflatex, and it is not there")
        pytest.skip(f"no {engine} with its fonts here (Debian: apt-get install texlive-latex-recommended)")


def _knows_unicode(engine: str) -> bool:
    """Whether the engine has the fonts that LaTeX takes by default: LuaTeX alone has none."""
    asked = ["kpsewhich", "luaotfload.sty" if engine == "lualatex" else "fontspec.sty"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def compiled(engine: str, text: str, folder: Path) -> str:
    """Compile a document and return its log; no character may be missing, no line too wide, no label used twice."""
    (folder / "report.tex").write_text(text, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=900)
    log = (folder / "report.log").read_text("utf-8", errors="replace")
    assert done.returncode == 0, log[-3000:]
    assert "Missing character" not in log
    assert "multiply defined" not in log
    assert [w for w in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(w) > 5] == []
    return log


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "xelatex", "lualatex"])
def test_every_method_and_hostile_names_compile(engine, tmp_path):
    engine_needs(engine)
    results = [*hostile_results(), *_many_models()]
    compiled(engine, to_latex(results, standalone=True, caption="[Δ] 中 50%"), tmp_path)


@pytest.mark.slow
def test_tables_compile_in_a_plain_article_with_the_packages_that_they_name(tmp_path):
    engine_needs("pdflatex")
    tables = [result.to_latex() for result in [*hostile_results(), *_many_models()]]
    (named,) = {table.splitlines()[0] for table in tables}
    packages = re.findall(r"\\usepackage(?:\[\w+\])?\{[\w,]+\}", named)
    assert len(packages) == 2
    document = [r"\documentclass{article}", *packages, r"\begin{document}"]
    compiled("pdflatex", "\n".join([*document, "\\clearpage\n".join(tables), r"\end{document}"]), tmp_path)


def _many_models() -> list[Result]:
    facts = [
        {"model": {"name": f"org/a_model-{m}"}, "dataset": {"language": language, "source": "x.jsonl"}}
        for language in ("en", "de", "tr")
        for m in range(6)
    ]
    items = [weat_item(name, 0.5) for name in ("weat6", "weat7")]
    return [weat_result(items, provenance=own) for own in facts]


def test_latex_is_escaped_and_balanced():
    item = weat_item(name="50%_of & {all} #1 ~^\\", x="<a|b>")
    text = to_latex([weat_result([item])], caption="A & B", label="tab:x y}")
    assert r"50\%\_of \& \{all\} \#1 \textasciitilde{}\textasciicircum{}\textbackslash{}" in text
    assert r"\caption{A \& B Word" in text
    assert r"\label{tab:xy}" in text
    assert text.count(r"\begin{") == text.count(r"\end{")
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    widths = {
        len(re.findall(r"(?<!\\)&", line))
        for line in text.splitlines()
        if line.endswith(r"\\") and "caption" not in line
    }
    assert widths == {1}


def test_models_stand_side_by_side_and_tests_of_one_name_apart():
    both = [weat_result(model="a"), weat_result([weat_item("weat6", 0.5, ci_low=-1.0)], model="b")]
    lines = to_latex(both).splitlines()
    row = next(line for line in lines if line.startswith("weat6"))
    assert row.split(" & ")[1:] == ["1.71**", r"0.50\textsuperscript{\textdagger} \\"]
    assert next(line for line in lines if line.startswith("weat9")).endswith(r"& --- \\")
    twice = to_latex([weat_result([weat_item("weat6"), weat_item("weat6")])])
    assert sum(line.startswith("weat6") for line in twice.splitlines()) == 2


def test_more_models_than_fit_go_into_further_tables():
    text = to_latex(_many_models())
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 3 * 2
    assert len(set(labels_of(text))) == 3 * 2


def labels_of(text: str) -> list[str]:
    return re.findall(r"\\label{([^}]*)}", text)


def test_no_two_tables_share_a_label_or_a_caption():
    """Of one method with other settings, data or models, in one call or in several."""
    runs = [weat_result(settings={"pooling": pooling}) for pooling in ("cls", "first", "mean")]
    together, alone = to_latex(runs), [result.to_latex() for result in [*runs, weat_result(model="other")]]
    assert len(set(labels_of(together))) == 3
    assert all(f"(pooling {pooling})" in together for pooling in ("cls", "first", "mean"))
    assert len({label for table in alone for label in labels_of(table)}) == 4
    assert labels_of(to_latex(runs, label="tab:mine")) == ["tab:mine", "tab:mine-2", "tab:mine-3"]


def test_no_word_is_broken_before_its_last_letters():
    assert breakable("sexual-orientation", 12) == r"sexual-\allowbreak{}orientation"
    for n in range(1, 60):
        parts = breakable("x" * n, 12).split(r"\allowbreak{}")
        assert "".join(parts) == "x" * n
        assert max(map(len, parts)) <= 12
        assert n <= 2 or len(parts[-1]) > 2


def test_a_caption_names_no_test_where_answers_follow_the_order_of_options():
    chat = measure("crows_pairs", lambda prompts: ["A"] * len(prompts), variant="choice", limit=12)
    table = to_latex([chat])
    assert "o test, as" in table
    assert chat.p_method
    assert "test: " not in table


def test_letters_of_europe_stay_and_others_are_written_or_named():
    assert latex("Größe, ğ, Ș, œ, „x“") == "Größe, ğ, Ș, œ, „x“"
    assert latex("x̂ ế α − 中") == r"\^{x} \'{\^{e}} $\alpha$ $-$ [U+4E2D]"
