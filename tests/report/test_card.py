"""The card as a whole: where the section goes, what it says, what is refused."""

from __future__ import annotations

import dataclasses

import pytest
import yaml
from markdown_it import MarkdownIt

from evaluate_bias.errors import CardError
from evaluate_bias.report.card import MAX_BYTES, bias_section, card, plan_card
from evaluate_bias.report.card.block import BEGIN, END, enclosed, outline
from evaluate_bias.report.lines import model_name
from tests.report.samples import group, updated, weat_item, weat_result
from tests.support.refusals import refusals

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


def test_official_template():
    text = updated(TEMPLATE, [weat_result()], model_index=False)
    body = text.split("---\n", 2)[2]
    assert headings(body) == [
        (1, "Model Card for glove-6b-50d"),
        (2, "Uses"),
        (2, "Bias, Risks, and Limitations"),
        (3, "Social bias evaluation"),
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
        ("# Bias in the data that this model was trained on\n", "Bias, Risks, and Limitations"),
    ],
)
def test_the_section_is_found_or_added(body, under):
    text = updated(body, [weat_result()], model_index=False)
    found = outline(text)
    assert found.block is not None
    above = [h for h in found.headings if h.end <= found.block[0]][-1]
    assert above.title == under
    inside = [h for h in found.headings if found.block[0] <= h.start < found.block[1]]
    assert inside[0].level == above.level + 1


def test_a_section_in_another_language_is_replaced_in_place():
    card = "# M\n\n## Verzerrungen, Risiken und Einschränkungen\n\n{}\n\n## Mehr\n"
    german = card.format(
        f"{BEGIN}\n### Gemessene soziale Verzerrungen\n\nGemessen an **glove-6b-50d**.\n\n{END}"
    )
    english = enclosed(bias_section([weat_result()]))
    assert updated(german, [weat_result()], model_index=False) == card.format(english)


test_cards_that_cannot_be_edited_safely = refusals(
    lambda text: updated(text, [weat_result()]),
    (f"{BEGIN}\n{END}\n\n{BEGIN}\n{END}\n", None, "2 begin and 2 end markers"),
    (f"{BEGIN}\ntext\n", None, "lacks its end marker"),
    (f"text\n\n{END}\n", None, "lacks its begin marker"),
    ("<!-- evaluate-bias:begin v1 -->\n\n" + END + "\n", None, "is not one of evaluate-bias"),
    (f"{BEGIN}\n\n<!--evaluate-bias:end-->\n", None, "is not one of evaluate-bias"),
    (f"{BEGIN} text\n\n{END}\n", None, "alone on its line"),
    (f"> {BEGIN}\n> {END}\n", None, "alone on its line"),
    (f"<!-- open\n{BEGIN}\n\n{END}\n", None, "inside another comment"),
    ("PK\x03\x04\0\0binary", None, "zero bytes"),
    ("x" * (MAX_BYTES + 1), None, "1.0 MB"),
    error=CardError,
)


@pytest.mark.parametrize(
    "quoted", [f"`{BEGIN}`", f"```\n{BEGIN}\n{BEGIN}\n```", f"    {END}", f"a `` {END} `` b"]
)
def test_markers_quoted_as_code_do_not_count(quoted):
    text = updated(f"# M\n\n{quoted}\n", [weat_result()])
    assert quoted in text
    assert updated(text, [weat_result()]) == text


def test_file_round_trip(tmp_path):
    path = tmp_path / "README.md"
    path.write_bytes(TEMPLATE.replace("\n", "\r\n").encode())
    first = card([weat_result()], path)
    assert first.changed
    assert first.written[:3] == tuple(
        tmp_path / f"{n}" for n in ("README.md", "evaluate-bias.json", "evaluate-bias.svg")
    )
    assert first.diff.count("\n+") > 50
    assert "\n-" not in first.diff.replace("--- card before", "")
    content = path.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n")
    stamp = path.stat().st_mtime_ns
    second = card(weat_result(), tmp_path)
    assert (second.changed, second.diff, second.written) == (False, "", ())
    assert path.read_bytes() == content
    assert path.stat().st_mtime_ns == stamp


def test_either_form_is_left_out_on_request(tmp_path):
    path, target = tmp_path / "README.md", tmp_path / ".eval_results" / "evaluate-bias-weat.yaml"
    card([weat_result()], path, eval_results=False)
    assert "model-index" in path.read_text()
    assert not target.parent.exists()
    path.unlink()
    card([weat_result()], path, model_index=False)
    assert "model-index" not in path.read_text()
    assert [e["value"] for e in yaml.safe_load(target.read_text())] == [1.71, 1.5, 0.31, -0.52]
    own = weat_result(provenance={"model": {"name": "glove-6b-50d"}})
    assert any("not entered in .eval_results: custom" in w for w in card([own], path).warnings)


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
def test_warnings(text, results, model, warned):
    plan = plan_card(text, results, model=model)
    assert (warned in " ".join(plan.warnings)) if warned else plan.warnings == ()
    assert BEGIN in plan.text


@pytest.mark.parametrize("name", ["=m\u202eΔ[1]*", "a_b*c`d", "x&amp;<b>", "**m**", "a\\*"])
def test_a_card_reads_the_name_that_it_wrote(name):
    result = weat_result(model=name)
    made = plan_card("", [result], model_index=False)
    again = plan_card(made.text, [result], model_index=False)
    assert (made.warnings, again.warnings, again.changed) == ((), (), False)
    other = dataclasses.replace(result, provenance={"model": {"name": "other"}})
    (warning,) = plan_card(made.text.partition("\n")[2], [other], model_index=False).warnings
    assert f"was about {model_name(result)};" in warning


def test_methods_that_leave_the_section_are_named(tmp_path):
    two = [weat_result(), dataclasses.replace(weat_result(), method="seat")]
    assert not any("also had" in warning for warning in card(two, tmp_path).warnings)
    (warning,) = (w for w in card(two[:1], tmp_path).warnings if "also had" in w)
    assert "also had SEAT, which" in warning
    assert not any("also had" in warning for warning in card(two[:1], tmp_path).warnings)


def test_labels_cannot_break_out():
    nasty = f"x | y <b> --> ``` {END} ] ) \n## H"
    item = weat_item(nasty, x=nasty, origin=nasty)
    result = weat_result([item], model=nasty, warnings=(nasty,), settings={nasty: nasty})
    text = updated("# M\n\nend\n", [result], model_index=False)
    assert updated(text, [result], model_index=False) == text
    assert (2, "H") not in headings(text)
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert "<b>" not in html
    assert html.count("<tr>") == 4
    assert "<pre>" not in html


def test_two_scores_of_a_method_have_their_names_on_the_first_screen():
    neutral = dataclasses.replace(weat_result(), method="bias_nli", score=0.6, score_range=(0.0, 1.0))
    gap = dataclasses.replace(neutral, score_range=(-1.0, 1.0), settings={"variant": "gap"})
    section = updated("", [neutral, gap])
    assert "| Bias-NLI (net neutral) |" in section
    assert "| Bias-NLI (difference of entailment) |" in section


def test_what_follows_a_table_is_no_row_of_it():
    """A table of Markdown ends at an empty line only: a title right below it would become its last row."""
    values = {"mean_log_odds": 0.1, "rate_x": 0.6, "rate_y": 0.5}
    of_all = group("overall", 0.1, values, n=12, ideal=0.0)
    result = dataclasses.replace(weat_result([of_all]), method="decision_gap")
    lines = updated("", [result]).splitlines()
    ends = [
        i for i, line in enumerate(lines[:-1]) if line.startswith("| ") and not lines[i + 1].startswith("|")
    ]
    assert len(ends) == 2
    assert [lines[i + 1] for i in ends if lines[i + 1]] == []


def test_paths_do_not_reach_the_card():
    provenance = {
        "model": {
            "name": "/home/someone/vectors.txt",
            "source": "/home/someone/vectors.txt",
            "parts": ["/home/x/y"],
        },
        "dataset": {"source": "/home/someone/lists.jsonl"},
    }
    text = updated("", [weat_result(provenance=provenance)])
    assert "/home" not in text
    assert "vectors.txt" in text
    assert "lists.jsonl" in text
