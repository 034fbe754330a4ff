"""The loopback Hub, with its writer logged in, and what tests do there."""

from __future__ import annotations

import pytest

from evaluate_bias.hub.publish import carry_out, plan_publication
from tests.support.hub_client import use_hub
from tests.support.loopback_hub import LoopbackHub


@pytest.fixture
def hub(monkeypatch, tmp_path_factory):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path_factory.mktemp("hub")))
    with LoopbackHub() as server:
        use_hub(server, monkeypatch, token=server.token)
        yield server


@pytest.fixture
def publish(hub):
    """Plans and carries out the publication of what these arguments choose."""

    def call(*chosen, **options):
        plans = plan_publication(*chosen, token=hub.token, **options)
        return carry_out(plans, token=hub.token)

    return call


def writes(hub: LoopbackHub) -> list[tuple[str, str]]:
    """The requests that change something."""
    return [(r.method, r.path) for r in hub.requests if r.method not in ("GET", "HEAD")]
