"""The page as a server of tools: what an agent is offered over MCP, and what it gets."""

from __future__ import annotations

import asyncio
from typing import Any

import gradio as gr
import pytest

from evaluate_bias.errors import InputError
from evaluate_bias.registry import METHODS
from evaluate_bias.ui import launch, module_page, pages
from evaluate_bias.ui.pages import new_page
from tests.support.refusals import refused

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address():
    pytest.importorskip("mcp")
    page = module_page("tpr_gap")
    launch(page, mcp=True, prevent_thread_lock=True, quiet=True)
    yield f"{page.local_url}gradio_api/mcp/"
    page.close()


def ask(address: str, **arguments: Any) -> tuple[Any, Any]:
    """The tools of a page, and what its tool ``measure`` answers."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async def talk() -> tuple[Any, Any]:
        async with streamablehttp_client(address) as (read, write, _), ClientSession(read, write) as session:
            await session.initialize()
            return (await session.list_tools()).tools, await session.call_tool("measure", arguments)

    return asyncio.run(talk())


@pytest.mark.filterwarnings("ignore:This MCP server includes a tool that has a gr.State input")
def test_a_tool_bears_its_name_and_description_and_answers_with_the_result(address):
    tools, answer = ask(address)
    (tool,) = tools
    assert tool.name == "measure"
    assert METHODS["tpr_gap"].summary.rstrip(".") in tool.description
    assert not answer.isError
    assert "'method': 'tpr_gap'" in "".join(c.text for c in answer.content)


@pytest.mark.parametrize("asked", ["argument", "environment"])
def test_without_the_package_nothing_starts(asked, monkeypatch):
    monkeypatch.setattr(pages, "find_spec", lambda name: None)
    if asked == "environment":
        monkeypatch.setenv("GRADIO_MCP_SERVER", "True")
    refused(InputError, r"need the mcp package: .*\[mcp\]", lambda: launch(object(), mcp=asked == "argument"))


@pytest.mark.filterwarnings("ignore:This MCP server includes a tool that has a gr.State input")
def test_agents_share_no_session():
    """All come through one client of gradio's, whose session would be theirs together."""
    pytest.importorskip("mcp")
    with new_page("sessions") as (page, session_state):
        out = gr.JSON()

        def measure(session):
            session.errors["visits"] = session.errors.get("visits", "") + "x"
            return len(session.errors["visits"])

        gr.Button().click(measure, session_state, out, api_name="measure")
    launch(page, mcp=True, prevent_thread_lock=True, quiet=True)
    try:
        answers = [ask(f"{page.local_url}gradio_api/mcp/")[1] for _ in range(2)]
    finally:
        page.close()
    assert [[c.text for c in answer.content] for answer in answers] == [["1"], ["1"]]
