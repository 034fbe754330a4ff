"""The card as a whole: where the section goes, what it says, what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt
from typer.testing import CliRunner

from evaluate_bias.cli.main import app
from evaluate_bias.errors import CardError, InputError, OutputError, UnknownNameError
from evaluate_bias.experiments.results_file import write_results
from evaluate_bias.report import texts
from evaluate_bias.report.card import MAX_BYTES, bias_section, card, plan_card
from evaluate_bias.report.card.block import BEGIN, END, outline
from evaluate_bias.report.card.score_picture import ChartMark, shown_picture, svg
from evaluate_bias.report.lines import model_name
from evaluate_bias.report.texts import card_text
from evaluate_bias.result import Result
from tests.report.samples import pairs_result, updated, weat_item, weat_result

TEMPLATE = """---
license: mit
---

# Model Card for glove-6b-50d

## Uses

text

## Bias, Risks, and Limitations

<!-- This section is meant to convey both technical and sociotechnical limitations. -->

[More Information Needed]

### Recommendations

Be careful.

## How to Get Started with the Model

code
"""


def headings(text: str) -> list[tuple[int, str]]:
    return [(h.level, h.title) for h in outline(text).headings]


def place(text: str) -> str:
    """Title of the heading that the block stands under."""
    found = outline(text)
    assert found.block is not None
    return [h.title for h in found.headings if h.end <= found.block[0]][-1]


def test_official_template() -> None:
    text = updated(TEMPLATE, [weat_result()], model_index=False)
    body = text.split("---\n", 2)[2]
    assert headings(body) == [
        (1, "Model Card for glove-6b-50d"),
        (2, "Uses"),
        (2, "Bias, Risks, and Limitations"),
        (3, "Measured social bias"),
        (3, "Recommendations"),
        (2, "How to Get Started with the Model"),
    ]
    assert (
        text.index("[More Information Needed]")
        < text.index(BEGIN)
        < text.index(END)
        < text.index("Be careful.")
    )


@pytest.mark.parametrize(
    ("body", "under"),
    [
        ("# M\n", "Bias, Risks, and Limitations"),
        ("# M\n\n## Limitations and bias\n\ntext\n\n## Next\n", "Limitations and bias"),
        ("# M\n\n## Bias\n\n## Bias, Risks, and Limitations\n", "Bias, Risks, and Limitations"),
        ("# M\n\n## Biased towards brevity\n", "Bias, Risks, and Limitations"),
        ("# M\n\n```\n## Bias\n```\n", "Bias, Risks, and Limitations"),
        ("# M\n\n<!--\n## Bias\n-->\n", "Bias, Risks, and Limitations"),
        ("Bias, Risks and Limitations\n===\ntext\n\nNext\n---\n", "Bias, Risks and Limitations"),
        ("## Verzerrungen, Risiken und Einschränkungen\n", "Verzerrungen, Risiken und Einschränkungen"),
        ("# Bias in the data that this model was trained on\n", "Bias, Risks, and Limitations"),
    ],
)
def test_the_section_is_found_or_added(body: str, under: str) -> None:
    text = updated(body, [weat_result()], model_index=False)
    found = outline(text)
    assert found.block is not None
    above = [h for h in found.headings if h.end <= found.block[0]][-1]
    assert above.title == under
    inside = [h for h in found.headings if found.block[0] <= h.start < found.block[1]]
    assert inside[0].level == above.level + 1


def test_a_block_that_was_moved_stays_where_it_is() -> None:
    text = updated(TEMPLATE, [weat_result()])
    start, end = text.index(BEGIN), text.index(END) + len(END)
    moved = text[:start] + text[end:] + "\n## Appendix\n\n" + text[start:end] + "\n\nMy words.\n"
    after = updated(moved, [weat_result([weat_item(score=0.5)])])
    assert after.index("## Appendix") < after.index(BEGIN)
    assert after.endswith(END + "\n\nMy words.\n")


def test_the_language_can_change_in_place() -> None:
    english = updated("# M\n", [weat_result()], model_index=False)
    german = updated(english, [weat_result()], language="de", model_index=False)
    assert "### Gemessene soziale Verzerrungen" in german
    assert german.count(BEGIN) == 1
    assert updated(german, [weat_result()], model_index=False) == english


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{BEGIN}\n{END}\n\n{BEGIN}\n{END}\n", "2 begin and 2 end markers"),
        (f"{BEGIN}\n\n{BEGIN}\n{END}\n", "2 begin and 1 end"),
        (f"{BEGIN}\ntext\n", "lacks its end marker"),
        (f"text\n\n{END}\n", "lacks its begin marker"),
        (f"{END}\n\n{BEGIN}\n", "lacks its begin before the end marker"),
        ("<!-- evaluate-bias:begin v2 -->\n\n" + END + "\n", "version 'v2': upgrade"),
        ("<!-- evaluate-bias:begin -->\n\n" + END + "\n", "version ''"),
        (f"text {BEGIN} text\n", "alone on its line"),
        (f"{BEGIN} text\n\n{END}\n", "alone on its line"),
        (f"- {BEGIN}\n", "alone on its line"),
        (f"> {BEGIN}\n> {END}\n", "alone on its line"),
        (f"<!-- open\n{BEGIN}\n\n{END}\n", "inside another comment"),
        ("PK\x03\x04\0\0binary", "zero bytes"),
        ("x" * (MAX_BYTES + 1), "1.0 MB"),
    ],
)
def test_cards_that_cannot_be_edited_safely(text: str, message: str) -> None:
    with pytest.raises(CardError, match=message):
        updated(text, [weat_result()])


@pytest.mark.parametrize(
    "quoted", [f"`{BEGIN}`", f"```\n{BEGIN}\n{BEGIN}\n```", f"    {END}", f"a `` {END} `` b"]
)
def test_markers_quoted_as_code_do_not_count(quoted: str) -> None:
    text = updated(f"# M\n\n{quoted}\n", [weat_result()])
    assert quoted in text
    assert updated(text, [weat_result()]) == text


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (b"\xff\xfe# M", CardError, "not UTF-8"),
        (b"\x89PNG\r\n\x1a\n\0\0", CardError, "not UTF-8"),
        (b"# M\n" * 1_300_000, CardError, "5.2 MB"),
    ],
)
def test_files_that_are_no_cards(
    tmp_path: Path, content: bytes, error: type[Exception], message: str
) -> None:
    path = tmp_path / "README.md"
    path.write_bytes(content)
    with pytest.raises(error, match=message):
        card([weat_result()], path)
    assert path.read_bytes() == content


def test_two_cards_in_one_folder_have_a_picture_each(tmp_path: Path) -> None:
    one, other = tmp_path / "README.md", tmp_path / "model_b.md"
    card([weat_result()], one)
    drawn = (tmp_path / "evaluate-bias.svg").read_text()
    card([pairs_result()], other)
    assert (tmp_path / "evaluate-bias.svg").read_text() == drawn
    assert (tmp_path / "model_b-evaluate-bias.svg").read_text() != drawn
    assert "](evaluate-bias.svg)" in one.read_text()
    assert "](model_b-evaluate-bias.svg)" in other.read_text()
    assert shown_picture(other.read_text()) == "model_b-evaluate-bias.svg"

    # One that an earlier version wrote shows its own picture from its next update on.
    other.write_text(other.read_text().replace("model_b-evaluate-bias", "evaluate-bias"))
    assert card([pairs_result()], other).changed
    assert "](model_b-evaluate-bias.svg)" in other.read_text()
    assert (tmp_path / "evaluate-bias.svg").read_text() == drawn


def test_the_interval_in_the_legend_has_the_colours_that_intervals_have() -> None:
    def interval_colours(*filled: bool) -> set[str]:
        marks = [ChartMark(f"m{i}", 0.5, 0.2, 0.8, found) for i, found in enumerate(filled)]
        legend = svg(marks, card_text("en")).partition('<g transform="translate')[2]
        return set(re.findall(r'h\d+" stroke="(#\w+)"', legend))

    assert interval_colours(True) == {"#D55E00"}
    assert interval_colours(False) == {"#0072B2"}
    assert interval_colours(True, False) == {"#D55E00", "#0072B2"}


def test_file_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_bytes(TEMPLATE.replace("\n", "\r\n").encode())
    first = card([weat_result()], path)
    assert first.changed
    assert first.written == (path, tmp_path / "evaluate-bias.svg")
    assert first.diff.count("\n+") > 50
    assert "\n-" not in first.diff.replace("--- card before", "")
    content = path.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n")
    stamp = path.stat().st_mtime_ns
    second = card(weat_result(), tmp_path)
    assert (second.changed, second.diff, second.written) == (False, "", ())
    assert path.read_bytes() == content
    assert path.stat().st_mtime_ns == stamp


def test_a_new_card_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "README.md"
    assert card([weat_result()], path).changed
    text = path.read_text()
    assert text.startswith("---\nmodel-index:\n- name: glove-6b-50d\n")
    assert "# glove-6b-50d\n\n## Bias, Risks, and Limitations\n\n<!-- evaluate-bias:begin v1 -->" in text
    assert not card([weat_result()], path).changed


def test_eval_results_only_when_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    card([weat_result()], path)
    assert not (tmp_path / ".eval_results").exists()
    update = card([weat_result()], path, eval_results=True)
    target = tmp_path / ".eval_results" / "evaluate-bias-weat.yaml"
    assert update.written == (target, target.with_stem("evaluate-bias-weat-nearness"))
    assert [e["value"] for e in yaml.safe_load(target.read_text())] == [1.71, 1.5, 0.31, -0.52]
    assert not card([weat_result()], path, eval_results=True).changed
    own = weat_result(provenance={"model": {"name": "glove-6b-50d"}})
    assert any(
        "not entered in .eval_results: custom" in w for w in card([own], path, eval_results=True).warnings
    )


def test_unwritable_card(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError):
        card([weat_result()], tmp_path / "file" / "README.md")


def test_wrong_arguments() -> None:
    with pytest.raises(InputError, match="no result"):
        updated("", [])
    with pytest.raises(InputError, match="'summary' or 'full'"):
        updated("", [weat_result()], level="long")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="card language"):
        updated("", [weat_result()], language="klingon")
    with pytest.raises(InputError, match="results are of 2"):
        updated("", [weat_result(), weat_result(model="b")], model="x")


@pytest.mark.parametrize(
    ("text", "results", "model", "warned"),
    [
        ("# Model Card for bert\n", [weat_result()], None, "the card is about bert"),
        ("# Model Card for `user/GloVe-6B-50d`\n", [weat_result()], None, ""),
        ("# Model Card for Model ID\n", [weat_result()], None, ""),
        ("# Something else\n", [weat_result()], None, ""),
        (
            "---\nmodel-index:\n- name: bert\n  results: []\n---\n",
            [weat_result()],
            None,
            "the card is about bert",
        ),
        ("---\nmodel-index:\n- name: bert\n  results: []\n---\n", [weat_result()], "me/bert", ""),
        ("", [weat_result(), weat_result(model="b")], None, "these results are of 2: glove-6b-50d, b"),
        ("\ufeff# M\n", [weat_result()], None, "byte order mark"),
        ("---\nbroken: [\n---\n", [weat_result()], None, "YAML was left alone"),
    ],
)
def test_warnings(text: str, results: list[Result], model: str | None, warned: str) -> None:
    plan = plan_card(text, results, model=model)
    assert (warned in " ".join(plan.warnings)) if warned else plan.warnings == ()
    assert BEGIN in plan.text


def test_scores_go_under_the_cards_own_model_name() -> None:
    text = "---\nmodel-index:\n- name: bert\n  results: []\n---\n# M\n"
    index = yaml.safe_load(plan_card(text, [weat_result()], model="me/bert").text.split("---\n")[1])[
        "model-index"
    ]
    assert [(e["name"], len(e["results"])) for e in index] == [("bert", 1)]


def test_without_model_index_no_front_matter_appears() -> None:
    assert updated("# M\n", [weat_result()], model_index=False).startswith("# M\n")


def test_labels_cannot_break_out() -> None:
    nasty = f"x | y <b> --> ``` {END} ] ) \n## H"
    item = weat_item(nasty, x=nasty, origin=nasty)
    result = weat_result([item], model=nasty, warnings=(nasty,), settings={nasty: nasty})
    for level in ("summary", "full"):
        text = updated("# M\n\nend\n", [result], level=level, model_index=False)
        assert updated(text, [result], level=level, model_index=False) == text
        assert (2, "H") not in headings(text)
        html = MarkdownIt("commonmark").enable("table").render(text)
        assert "<b>" not in html
        assert html.count("<tr>") == 4
        assert html.count("<pre>") == 1


def test_paths_do_not_reach_the_card() -> None:
    provenance = {
        "model": {
            "name": "/home/someone/vectors.txt",
            "source": "/home/someone/vectors.txt",
            "parts": ["/home/x/y"],
        },
        "dataset": {"source": "/home/someone/lists.jsonl"},
    }
    text = updated("", [weat_result(provenance=provenance)], level="full")
    assert "/home" not in text
    assert "vectors.txt" in text
    assert "lists.jsonl" in text


def test_full_level_names_words_and_what_was_left_out() -> None:
    summary, full = (bias_section([weat_result()], level=level) for level in ("summary", "full"))
    assert "zyzzyva" not in summary
    assert "weat6/targets_x: zyzzyva (not in the vocabulary)" in full
    assert "- weat6: amy (+0.05), john (+0.02)" in full
    assert "Scored: 128 of the 129" in summary


def test_the_table_has_score_interval_p_n_coverage_and_ideal() -> None:
    for level, head, end in (
        (
            "summary",
            "| Test | Verdict | Score [95% CI] | p (Holm) | n |",
            "| not found | -0.52 [-1.30, 0.40] | .830 | 16 |",
        ),
        (
            "full",
            "| Test | Verdict | Score [95% CI] | p | p (Holm) | n |",
            "| not found | -0.52 [-1.30, 0.40] | .830 | .830 | 16 |",
        ),
    ):
        lines = bias_section([weat_result()], level=level).splitlines()  # type: ignore[arg-type]
        assert head in lines
        row = next(line for line in lines if line.startswith("| weat10"))
        assert row.replace("\u00a0", " ").endswith(end)


def test_known_weaknesses_of_the_data_are_named() -> None:
    items = [
        weat_item("a", origin="translated, not validated by native speakers"),
        weat_item("b", origin="given by the caller"),
        weat_item("c", origin="co-created"),
        weat_item("d", bias_type="none (baseline)"),
    ]
    text = bias_section([weat_result(items)])
    assert "**Translated lists, not validated by native speakers:** a." in text
    assert "Lists given by the user and not reviewed here: b." in text
    assert "Origin of c: co-created." in text
    assert "Without social content, included to show that the measure responds: d." in text


def test_a_detected_baseline_alone_gives_no_advice_about_groups() -> None:
    detected = bias_section([weat_result([weat_item("d", bias_type="none (baseline)")])])
    assert "Check whether the detected associations" not in detected


def test_a_method_without_translation_speaks_english_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    known = texts.translations
    monkeypatch.setattr(texts, "translations", lambda code, name="": {} if name else known(code))
    text = bias_section([weat_result()], language="de")
    assert "\n(auf Englisch) How much more strongly" in text


@pytest.mark.parametrize("name", ["=m\u202eΔ[1]*", "a_b*c`d", "x&amp;<b>", "**m**", "a\\*"])
def test_a_card_reads_the_name_that_it_wrote(name: str) -> None:
    result = weat_result(model=name)
    made = plan_card("", [result], model_index=False)
    again = plan_card(made.text, [result], model_index=False)
    assert (made.warnings, again.warnings, again.changed) == ((), (), False)
    (warning,) = plan_card(
        made.text.partition("\n")[2], [weat_result(model="other")], model_index=False
    ).warnings
    assert f"was about {model_name(result)};" in warning


def test_results_of_two_models_are_one_note_that_says_what_to_do() -> None:
    given = [weat_result(), weat_result(model="b")]
    (warning,) = plan_card("", given, model_index=False).warnings
    assert warning.endswith("glove-6b-50d, b; choose one with model=…")


def test_the_command_says_its_own_option_in_notes(tmp_path: Path) -> None:
    write_results([weat_result()], tmp_path / "results.jsonl")
    (tmp_path / "README.md").write_text("# Model card for another\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["card", str(tmp_path), "--card", str(tmp_path / "README.md")])
    assert done.exit_code == 0, done.output
    assert "give its name in the card as --model …" in done.stderr
