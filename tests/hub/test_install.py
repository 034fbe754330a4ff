"""Installing modules in evaluate's cache, and what ``evaluate.load`` does with them afterwards."""

import pytest

from evaluate_bias.errors import UnknownNameError
from evaluate_bias.hub.modules import install
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python
from tests.support.toy_module import write_toy

# None of this needs the extra with transformers; without it evaluate is imported in a fifth of the time.
BARE = ("transformers",)
LOAD_TOY = """
import evaluate
answer(evaluate.load("acme/toy").compute(value=[1.0, 2.0]))
"""


def test_nothing_is_installed_when_one_name_is_unknown(tmp_path):
    write_toy(tmp_path, 1)
    with pytest.raises(UnknownNameError, match="unknown evaluate module 'tyo'"):
        install(["toy", "tyo"], root=tmp_path)


@pytest.mark.slow
def test_install_replaces_and_repairs(tmp_path):
    write_toy(tmp_path / "v1", 1)
    write_toy(tmp_path / "v2", 2)
    broken = write_toy(tmp_path / "broken", 3)
    (broken / "toy.py").write_text("import evaluate\nimport no_such_library\n", encoding="utf-8")
    raising = write_toy(tmp_path / "raising", 4)
    (raising / "toy.py").write_text("import evaluate\nraise RuntimeError('at import')\n", encoding="utf-8")
    empty = write_toy(tmp_path / "empty", 5)
    (empty / "toy.py").write_text("import evaluate\n", encoding="utf-8")
    code = f"""
    import os, shutil
    from pathlib import Path
    import evaluate
    from evaluate_bias.errors import OutputError
    from evaluate_bias.hub.modules import install

    root = Path({str(tmp_path)!r})
    one, again, two = (
        install([name], root=root / folder, org="acme")["acme/toy"]
        for name, folder in (("toy", "v1"), ("toy", "v1"), ("TOY", "v2"))
    )
    answers = {{
        "replaced": [one == again, two != one, one.exists()],
        "copies": [p for p in two.parents[1].iterdir() if len(p.name) == 64] == [two.parent],
        "files": sorted(p.name for p in two.parent.glob("*.py")),
        "computed": evaluate.load("acme/toy").compute(value=[1.0, 2.0]),
    }}

    script = root / "v2" / "toy" / "toy.py"
    script.write_text(script.read_text().replace("Once there was", "Now there is"))
    commented = install(root=root / "v2", org="acme")["acme/toy"]
    answers["comment"] = [commented == two, commented.read_text() == script.read_text()]
    commented.write_text(commented.read_text()[:100])
    install(root=root / "v2", org="acme")
    answers["repaired"] = commented.read_text() == script.read_text()

    for case in ("broken", "raising", "empty"):
        try:
            install(root=root / case, org="acme-" + case)
        except OutputError as error:
            answers[case] = str(error)
    answer(answers)
    """
    with LoopbackHub() as hub:
        answers = run_python(code, {**hub.env(), "HF_EVALUATE_OFFLINE": "1"}, tmp_path, without=BARE)
    assert answers["replaced"] == [True, True, False]
    assert answers["copies"]
    assert answers["files"] == ["__init__.py", "factors.py", "toy.py"]
    assert answers["computed"] == {"toy": 30.0, "version": 2}
    assert answers["comment"] == [True, True]
    assert answers["repaired"]
    assert "no_such_library" in answers["broken"]
    assert "cannot be loaded: at import" in answers["raising"]
    assert "finds no metric" in answers["empty"]
    assert hub.requests == []
    assert hub.outside == []


@pytest.mark.nightly
def test_after_the_installation_no_network_is_needed(tmp_path):
    """Refused connections need no setting; the two offline variables prevent even the attempt."""
    write_toy(tmp_path, 1)
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    install_toy = f"""
    from pathlib import Path
    from evaluate_bias.hub.modules import install
    answer([*install(root=Path({str(tmp_path)!r}), org="acme")])
    """
    with LoopbackHub() as hub:
        assert run_python(install_toy, hub.env(home), work, without=BARE) == ["acme/toy"]
        offline = {**hub.env(home), "HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
        assert run_python(LOAD_TOY, offline, work, without=BARE) == {"toy": 30.0, "version": 1}
        assert hub.requests == []
        assert hub.outside == []
        refused = hub.env(home)
    assert run_python(LOAD_TOY, refused, work, without=BARE) == {"toy": 30.0, "version": 1}
    assert not any(work.iterdir())
