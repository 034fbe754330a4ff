"""WinoBias and Winogender: the converters on small files in the upstream formats, and the published sentences."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evaluate_bias.cli.data import app
from evaluate_bias.data.building import build
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.sentence_pairs import load_pronoun_pairs
from evaluate_bias.data.words import load_occupations
from evaluate_bias.errors import AssetError, DataError, UnknownNameError
from evaluate_bias.methods.downstream.winobias.scoring import pronouns_of
from tests.support.refusals import refusals, refused

WINOBIAS = {
    "pro_stereotyped_type1": """\
1 [The cook] fed the nurse before [he] left.
2 The cook fed [a  nurse] before [she] woke up.
""",
    "anti_stereotyped_type1": """\
1 [The cook] fed the nurse before [she] left.
2 The cook fed [a nurse] before [he] woke up.
""",
    "pro_stereotyped_type2": "1 The nurse saw [the CEO] and met [him].\n\n",
    "anti_stereotyped_type2": "1 The nurse saw [the CEO] and met [her].\n",
}
SENTENCES = """\
sentid\tsentence
cook.guest.1.male.txt\tThe cook told the guest that he could wait.
cook.guest.1.female.txt\tThe cook told the guest that she could wait.
cook.guest.1.neutral.txt\tThe cook told the guest that they could wait.
cook.guest.0.male.txt\tThe cook told the guest that he was late.
cook.guest.0.female.txt\tThe cook told the guest that she was late.
even.guest.0.male.txt\tThe even told the guest that he was late.
even.guest.0.female.txt\tThe even told the guest that she was late.
"""
STATISTICS = (
    "occupation\tbergsma_pct_female\tbls_pct_female\tbls_year\ncook\t20.5\t30.25\t2015\neven\t50\t50\t2015\n"
)


def winobias_files(folder: Path, **changed: str) -> Path:
    data = folder / "WinoBias" / "wino" / "data"
    data.mkdir(parents=True)
    for name, text in {**WINOBIAS, **changed}.items():
        for split in ("dev", "test"):
            (data / f"{name}.txt.{split}").write_text(text, encoding="utf-8")
    return folder


def winogender_files(folder: Path, sentences: str = SENTENCES) -> Path:
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "all_sentences.tsv").write_text(sentences, encoding="utf-8")
    (folder / "data" / "occupations-stats.tsv").write_text(STATISTICS, encoding="utf-8")
    return folder


def test_winobias_is_put_together(tmp_path):
    source = winobias_files(tmp_path / "upstream")
    with pytest.raises(AssetError, match=r"is not WinoBias/wino/data/pro_stereotyped_type1\.txt\.dev"):
        build(dataset_record("winobias"), tmp_path / "out", source=source)
    out = build(dataset_record("winobias"), tmp_path / "out", source=source, verify=False)
    pairs = load_pronoun_pairs(out, split="dev")
    assert [(p.id, p.stereotype, p.profession, p.type) for p in pairs] == [
        ("type1-1", "male", "cook", "type1"),
        ("type1-2", "female", "nurse", "type1"),
        ("type2-1", "male", "CEO", "type2"),
    ]
    assert pairs[1].sentence_female == "The cook fed a nurse before she woke up."
    assert pairs[2].sentence_male == "The nurse saw the CEO and met him."
    assert "licence: mit" in (out / "README.md").read_text(encoding="utf-8").replace("license", "licence")
    refused(UnknownNameError, "split", load_pronoun_pairs, out, split="train")


def test_a_pronoun_of_one_gender_in_both_files_leaves_a_gap(tmp_path):
    source = winobias_files(
        tmp_path / "up", anti_stereotyped_type2="1 The CEO saw [the nurse] and met [him].\n"
    )
    out = build(dataset_record("winobias"), tmp_path / "out", source=source, verify=False)
    pair = load_pronoun_pairs(out, types="type2")[0]
    assert (pair.sentence_female, pair.sentence_male) == (None, "The nurse saw the CEO and met him.")


def given_name_text(tmp_path, name, text):
    source = winobias_files(tmp_path / "upstream", **{name: text})
    build(dataset_record("winobias"), tmp_path / "out", source=source, verify=False)


test_files_of_another_form_are_refused = refusals(
    given_name_text,
    ("anti_stereotyped_type2", "2 The nurse saw [the CEO] and met [her].\n", None, "do not have the same"),
    ("pro_stereotyped_type2", "The nurse saw [the CEO] and met [him].\n", None, "must be a number and a"),
    ("pro_stereotyped_type2", "1 The nurse saw [the CEO] and left.\n", None, "marked pronouns of one gender"),
    ("pro_stereotyped_type2", "1 [She] saw [the CEO] and met [him].\n", None, "marked pronouns of one"),
    error=DataError,
    fixtures=("tmp_path",),
)


def test_winogender_has_the_shares_of_women(tmp_path):
    source = winogender_files(tmp_path / "upstream")
    out = build(dataset_record("winogender"), tmp_path / "out", source=source, verify=False)
    pairs = load_pronoun_pairs(out)
    assert [(p.id, p.profession, p.type, p.stereotype, p.women_share) for p in pairs] == [
        ("cook.guest.1", "guest", "participant", "female", None),
        ("cook.guest.0", "cook", "occupation", "male", 0.3025),
        ("even.guest.0", "even", "occupation", None, 0.5),
    ]
    assert pairs[0].sentence_female == "The cook told the guest that she could wait."
    for n, wrong in enumerate(("cook.guest.male.txt", "baker.guest.0.male.txt", "cook.guest.2.male.txt")):
        source = winogender_files(tmp_path / f"up{n}", SENTENCES.replace("cook.guest.1.male.txt", wrong))
        with pytest.raises(DataError, match=r"sentence '\S+' does not have the expected form"):
            build(dataset_record("winogender"), tmp_path / f"out{n}", source=source, verify=False)


def test_the_published_sentences():
    """What is in the cache; it is obtained where it is not."""
    reasons: Counter[str] = Counter()
    for split in ("dev", "test"):
        pairs = load_pronoun_pairs("winobias", split=split)
        assert Counter((p.type, p.stereotype) for p in pairs) == dict.fromkeys(
            [(t, g) for t in ("type1", "type2") for g in ("female", "male")], 198
        )
        assert len({p.profession for p in pairs}) == 40
        reasons.update("" if isinstance(found := pronouns_of(p), tuple) else found for p in pairs)
    assert (reasons[""], sum(reasons.values())) == (1521, 1584)
    pairs = load_pronoun_pairs("winogender")
    assert Counter(p.type for p in pairs) == {"occupation": 120, "participant": 120}
    assert all(isinstance(pronouns_of(p), tuple) for p in pairs)
    shares = {p.profession: p.women_share for p in pairs if p.type == "occupation"}
    assert shares == {row.word: row.women_bls for row in load_occupations()}


def test_a_data_set_is_built_in_a_folder_by_the_command(tmp_path):
    source, out = winogender_files(tmp_path / "upstream"), tmp_path / "out"
    arguments = ["get", "winogender", "--out", str(out), "--source", str(source), "--any-version"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert len(load_pronoun_pairs(out)) == 3
    assert CliRunner().invoke(app, [*arguments, "winobias"]).exit_code == 1
    in_cache = CliRunner().invoke(app, ["get", "winogender", "--any-version"])
    assert "add --out FOLDER" in str(getattr(in_cache.exception, "hint", ""))
