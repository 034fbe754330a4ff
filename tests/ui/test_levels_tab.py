"""The tab of four levels: the library's numbers, a picture, and what is not offered refused."""

from __future__ import annotations

import pytest
from gradio_client.exceptions import AppError

import evaluate_bias as eb
from tests.ui.caller import Caller
from tests.ui.conftest import load_stand_in


@pytest.fixture(scope="module")
def client(address: str) -> Caller:
    return Caller(address)


@pytest.mark.parametrize("model", ["glove-6b-50d", "demo-mlm-en"])
def test_the_tab_shows_what_the_function_returns(model: str, client: Caller) -> None:
    expected = eb.levels(load_stand_in(model), "gender_math", progress=False, prompt_variants=2)
    page, data = client.predict(api_name="/measure_levels", construct="gender_math", model=model)
    shown = [row.pop("score", None) for row in data["levels"]["rows"]]
    assert [s for s in shown if s is not None] == pytest.approx([r.score for r in expected.results], rel=1e-5)
    assert data["levels"]["sentences"] == expected.sentences
    assert expected.sentences[0] in page
    assert "data:image/png;base64" in page
    assert all(row.level in page for row in expected.rows)


@pytest.mark.parametrize("given", [{"construct": "../x.yaml"}, {"model": "/etc/passwd"}])
def test_what_is_not_offered_is_refused(given: dict[str, str], client: Caller) -> None:
    with pytest.raises(AppError, match="is not in the list of choices|neither a named model nor a Hub id"):
        client.predict(
            api_name="/measure_levels", **{"construct": "gender_math", "model": "demo-mlm-en", **given}
        )
