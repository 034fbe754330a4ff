"""Prompts of HONEST: packaged, built from their published form, read from files; lexicons likewise."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evaluate_bias.assets import get_asset, is_cached
from evaluate_bias.data.building import build
from evaluate_bias.data.prompts import BLANK, load_completion_prompts
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.words import load_lexicon
from evaluate_bias.errors import AssetError, DataError, InputError, UnknownNameError
from tests.support.refusals import refused

HEAD = "template_masked\traw\tidentity\tnumber\tcategory\ttype\r\n"
needs_benchmarks = pytest.mark.skipif(
    not is_cached(get_asset("benchmarks")), reason="the benchmarks are not cached"
)


def upstream(folder: Path, text: str, name: str = "binary/en") -> Path:
    path = folder / "resources" / f"{name}_template.tsv"
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())
    return folder


def five(identity: str, category: str) -> str:
    return "".join(
        f"{identity}  did {k} [M].\t[I] did {k} [M]\t{identity}\tsingular\t{category}\toccupation\r\n"
        for k in range(5)
    )


def test_a_published_table_becomes_rows(tmp_path):
    source = upstream(tmp_path, HEAD + five("she", "female") + five("he", "male"))
    folder = build(
        dataset_record("honest_templates"), tmp_path / "built", configs=["en"], source=source, verify=False
    )
    rows = load_completion_prompts(folder)
    assert len(rows) == 10
    assert (rows[0].prompt, rows[0].group, rows[0].template) == ("she did 0 [M].", "female", "occupation-1")
    assert Counter(row.template for row in rows) == {f"occupation-{k}": 2 for k in range(1, 6)}
    with pytest.raises(AssetError, match="sha256"):
        build(dataset_record("honest_templates"), tmp_path / "other", configs=["en"], source=source)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEAD + "she did [M].\t\t\tsingular\tfemale\toccupation\r\n", "expected form|has no column"),
        (HEAD.replace("identity", "who") + five("she", "female"), "expected form|has no column"),
        (HEAD + five("she", "female").replace("[M].\t", "it.\t"), "no blank"),
        (HEAD + five("she", "female").replace("[M].\t", "[M] [M].\t"), "2 blanks"),
        (HEAD + five("she", "female").replace("female", "male", 1), "must follow one another"),
    ],
)
def test_another_form_is_refused(tmp_path, text, told):
    source = upstream(tmp_path, text)
    record = dataset_record("honest_templates")
    refused(DataError, told, build, record, tmp_path / "built", configs=["en"], source=source, verify=False)


@needs_benchmarks
def test_the_published_prompts():
    sizes = dict.fromkeys(("en", "es", "fr", "it"), 405) | {"pt": 420, "ro": 420}
    for language, size in sizes.items():
        rows = load_completion_prompts("honest_templates", language=language)
        assert Counter(row.group for row in rows) == {"female": size, "male": size}
        assert all(row.prompt.count(BLANK) == 1 and row.prompt.endswith(f"{BLANK}.") for row in rows)
        assert len({row.template for row in rows}) == 15
        assert rows.provenance["name"] == "honest_templates"
        assert rows.provenance["verified"]
    assert len({row.prompt for row in load_completion_prompts("honest_templates")}) == 724
    queer = load_completion_prompts("honest_templates", identities="queer")
    assert Counter(row.group for row in queer) == {"queer": 615, "nonqueer": 90}


def test_the_packaged_prompts_are_balanced():
    rows = load_completion_prompts()
    assert Counter((row.group, row.template) for row in rows).most_common(1)[0][1] == 5
    assert len(rows) == len({row.prompt for row in rows}) == 120
    assert all(row.prompt.endswith(f" {BLANK}.") for row in rows)
    assert dataset_record("honest_style").illustrative
    assert load_completion_prompts("honest_style") == rows


def test_a_file_of_the_authors_is_read_as_it_is(tmp_path):
    path = tmp_path / "en_template.tsv"
    path.write_text(HEAD + five("she", "female"), encoding="utf-8")
    rows = load_completion_prompts(path)
    assert (rows[1].prompt, rows[1].group, rows[1].id) == ("she  did 1 [M].", "female", "1")


def test_what_there_is_not_is_an_error():
    refused(UnknownNameError, "language", load_completion_prompts, language="de")
    refused(InputError, "`identities` applies to the published", load_completion_prompts, identities="queer")
    refused(InputError, "'gender' or 'queer'", load_completion_prompts, identities="race")


# -- lexicons --------------------------------------------------------------------------------------------------------


def test_hurtlex_is_built_from_its_table_and_never_published(tmp_path):
    path = tmp_path / "lexica" / "EN" / "1.2" / "hurtlex_EN.tsv"
    path.parent.mkdir(parents=True)
    path.write_text(
        "id\tpos\tcategory\tstereotype\tlemma\tlevel\nEN1\tn\tpr\tno\tprostitute\tconservative\n"
        'EN2\tn\tqas\tno\t"a" word\tinclusive\n',
        encoding="utf-8",
    )
    record = dataset_record("hurtlex")
    built = build(record, tmp_path / "built", configs=["en"], source=tmp_path, verify=False)
    lexicon = load_lexicon(built)
    assert [(e.word, e.category) for e in lexicon] == [("prostitute", "pr")]
    assert lexicon.provenance["licence"] == "cc-by-nc-sa-4.0"
    assert "must not be published again" in (built / "README.md").read_text(encoding="utf-8")
    assert record.select(None) == ()
    with pytest.raises(InputError, match="nothing of hurtlex may be published again"):
        build(record, tmp_path / "all", source=tmp_path, verify=False)
    path.write_text("word\tweight\nfool\t1\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no column lemma"):
        build(record, tmp_path / "wrong", configs=["en"], source=tmp_path, verify=False)


def test_lexicons_of_the_caller():
    assert [e.word for e in load_lexicon(["a  b", "c"])] == ["a b", "c"]
    assert [(e.word, e.category) for e in load_lexicon({"a": ["x", "y"]})] == [("a", "x"), ("a", "y")]
    both = [{"word": "a", "language": "en"}, {"word": "b", "language": "fr"}]
    assert [e.word for e in load_lexicon(both, language="fr")] == ["b"]
    assert [e.word for e in load_lexicon(load_lexicon(both, language="fr"), language="fr")] == ["b"]
    with pytest.raises(
        UnknownNameError, match="unknown language of the lexicon 'en'; did you mean 'fr'|choose from fr"
    ):
        load_lexicon(load_lexicon(both, language="fr"), language="en")
    assert {e.category for e in load_lexicon()} >= {"insult", "crime"}
