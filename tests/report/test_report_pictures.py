"""A report of many results draws the first pictures only, counted and not timed, and every one where it is asked to."""

from __future__ import annotations

import dataclasses

from evaluate_bias.report import write
from evaluate_bias.report.write import write_report
from evaluate_bias.result import Result
from tests.report.samples import weat_result


def results(n: int) -> list[Result]:
    one = weat_result()
    return [dataclasses.replace(one, provenance={"model": {"name": f"m{i}"}}) for i in range(n)]


def test_pictures_beyond_the_first_are_drawn_on_request(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "_MOST_PICTURES", 3)
    few = write_report(results(4), tmp_path / "few")
    assert len([p for p in few if p.suffix == ".svg"]) == 3
    page = (tmp_path / "few" / "report.md").read_text()
    assert "more pictures were not drawn: `evaluate-bias report --all-pictures`" in page
    every = write_report(results(4), tmp_path / "every", all_pictures=True)
    assert len([p for p in every if p.suffix == ".svg"]) > 3
    assert "not drawn" not in (tmp_path / "every" / "report.md").read_text()


def test_of_many_results_every_method_has_its_first_pictures_and_further_pages_are_drawn_on_request(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(write, "_MOST_RESULTS", 20)
    readings = [*results(42), *(dataclasses.replace(r, method="ripa") for r in results(2))]
    names = {p.name for p in write_report(readings, tmp_path) if p.suffix == ".svg"}
    assert names == {"effect_sizes-weat-1.svg", "effect_sizes-weat-3.svg", "effect_sizes-ripa.svg"}
    page = (tmp_path / "report.md").read_text()
    assert "scores with intervals by model, 1 of 2]" in page
