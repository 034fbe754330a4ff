#!/usr/bin/env bash
# gradio 6.31.0, mcp 1.30.0: a queued function whose outputs end in a State answers an MCP client only if the client asks for
# progress; without, the call ends in "pop index out of range".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check gradio==6.31.0 mcp==1.30.0
cd "$work"
GRADIO_ANALYTICS_ENABLED=False "$work/venv/bin/python" -W ignore - <<'PY'
import asyncio

import gradio as gr
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


def double(number: float, memory: list):
    return 2 * number, f"twice {number}", [*memory, number]


with gr.Blocks() as page:
    memory, number, twice, words = gr.State([]), gr.Number(), gr.Number(), gr.Textbox()
    gr.Button().click(double, [number, memory], [twice, words, memory], api_name="double")
page.launch(mcp_server=True, prevent_thread_lock=True, quiet=True)


async def ask(**options):
    async with streamable_http_client(f"{page.local_url}gradio_api/mcp/") as (read, write, *_):
        async with ClientSession(read, write) as session:
            await session.initialize()
            answer = await session.call_tool("double", {"number": 3}, **options)
            return answer.isError, [part.text for part in answer.content]


async def progress(done, total, message):
    pass


plain, with_progress = asyncio.run(ask()), asyncio.run(ask(progress_callback=progress))
page.close()
print("without progress:", plain)
print("with progress:", with_progress)
assert plain == (True, ["pop index out of range"])
assert not with_progress[0]
PY
