"""Starting the page, closed to everything it does not need."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import InputError, install_extra
from .guard import (
    MAX_VECTOR_BYTES,
    QUEUE_LENGTH,
    Guard,
    check_number,
    upload_folder,
    uploads_only,
)
from .handlers import shown_errors
from .session import Session

MAX_CHOICE = 1_000
MAX_SESSIONS = 1_000  # for each of which gradio keeps 0.6 MB of the page; those not used for longest go first

_KEPT_SECONDS = 3600

_FONTS = ("system-ui", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
_MONO = ("ui-monospace", "DejaVu Sans Mono", "Menlo", "Consolas", "monospace")


def launch_options() -> dict[str, Any]:
    """Options of ``Blocks.launch``: upload limit, no files of the machine, no stack traces, no outside fonts."""
    import gradio as gr
    from starlette.middleware import Middleware

    return {
        "max_file_size": MAX_VECTOR_BYTES,
        "max_threads": 2 * QUEUE_LENGTH,  # requests that wait for a model must not keep others from starting
        "allowed_paths": [],
        "blocked_paths": [str(Path.cwd()), str(Path.home())],
        "strict_cors": True,
        "show_error": False,
        "ssr_mode": False,
        "enable_monitoring": False,
        "run_history": False,
        "state_session_capacity": MAX_SESSIONS,
        "footer_links": ["settings"],
        "_frontend": False,  # gradio asks its own page and gives up after 3 s, which a busy machine takes
        "theme": gr.themes.Default(font=list(_FONTS), font_mono=list(_MONO)),
        "css": (Path(__file__).parent / "templates" / "style.css").read_text(encoding="utf-8"),
        "app_kwargs": {"middleware": [Middleware(Guard)]},
    }


def page_class() -> Any:
    """``gradio.Blocks`` that opens no address a visitor names, and is served with :func:`launch_options`."""
    import gradio as gr
    from gradio.state_holder import SessionState

    class Page(gr.Blocks):  # type: ignore[misc]
        async def preprocess_data(
            self, block_fn: Any, inputs: Any, state: Any, *args: Any, **kwargs: Any
        ) -> Any:
            # Gradio counts the time that a visitor's session is kept from when it was last set. It is no output of the
            # measurements: gradio's server of tools fails where a tool has another output beside a state.
            for block in block_fn.inputs if state is not None else ():
                if isinstance(block, gr.State):
                    state[block._id] = state[block._id]
            uploaded = []
            with shown_errors():
                for block, value in zip(block_fn.inputs, inputs, strict=False):
                    if isinstance(block, gr.Dropdown) and len(str(value)) > MAX_CHOICE:
                        raise InputError(f"{block.label}: a choice has at most {MAX_CHOICE} characters")
                    if isinstance(block, gr.Number):
                        check_number(str(block.label), value, whole=block.precision == 0)
                    uploaded.append(uploads_only(value, accepts_files=isinstance(block, gr.File)))
                return await super().preprocess_data(block_fn, uploaded, state, *args, **kwargs)

        async def process_api(
            self,
            block_fn: Any,
            inputs: Any,
            state: Any = None,
            request: Any = None,
            *args: Any,
            **kwargs: Any,
        ) -> Any:
            # All agents come through one client of gradio's: its session would be that of all of them together.
            if getattr(request, "headers", {}).get("x-gradio-user") == "mcp":
                state = SessionState(self)
            return await super().process_api(block_fn, inputs, state, request, *args, **kwargs)

        def get_api_info(self, *args: Any, **kwargs: Any) -> Any:
            info = super().get_api_info(*args, **kwargs)
            for endpoint in (info or {}).get("named_endpoints", {}).values():
                for parameter in endpoint["parameters"]:
                    # In place of what gradio tells of its own classes; a choice of nothing is any text.
                    kind = parameter["python_type"]["type"].replace("Literal[]", "str")
                    parameter["python_type"] = {"type": kind, "description": parameter["label"]}
            return info

        def launch(self, **options: Any) -> Any:
            # A visitor's Hub id must not open what only this machine's user may read.
            os.environ.setdefault("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")
            return super().launch(**{**launch_options(), **options})

    return Page


@contextmanager
def new_page(title: str) -> Iterator[tuple[Any, Any]]:
    """Open a page to be filled, with the state that holds a visitor's :class:`~.session.Session`.

    Every request starts at once; the pool of models decides who waits, so that users of one model do not wait for those
    of another.
    """
    import gradio as gr

    upload_folder()  # before gradio asks where it is
    cleanup = (_KEPT_SECONDS // 4, _KEPT_SECONDS)
    with page_class()(title=title, analytics_enabled=False, delete_cache=cleanup) as page:
        gr.HTML('<p role="status"></p>', elem_id="told", padding=False)
        yield page, gr.State(Session(), time_to_live=_KEPT_SECONDS)
    page.queue(max_size=QUEUE_LENGTH, default_concurrency_limit=QUEUE_LENGTH, api_open=False)


def launch(page: Any, *, mcp: bool = False, **options: Any) -> Any:
    """Serve a page, on 127.0.0.1 unless ``GRADIO_SERVER_NAME`` says otherwise; the address is printed.

    Args:
        page: from :func:`~evaluate_bias.ui.explorer_page` or :func:`~evaluate_bias.ui.module_page`.
        mcp: also serve the page's measurements as tools for agents (Model Context Protocol); so does
            ``GRADIO_MCP_SERVER=true`` in the environment, as of a Space.
        options: of ``Blocks.launch``, over those of :func:`launch_options`.

    Raises:
        InputError: the page that was started does not answer, or tools are asked for and the package is not there.
    """
    import httpx

    if mcp or os.environ.get("GRADIO_MCP_SERVER", "").casefold() == "true":
        if find_spec("mcp") is None:  # gradio would start all the same, and answer 404 to agents
            raise InputError(f"tools for agents need the mcp package: {install_extra('mcp')}")
        from gradio import mcp as tools

        # Where gradio puts files of agents, read when gradio is imported: before there was a folder for uploads.
        tools.DEFAULT_TEMP_DIR = str(upload_folder())
        # Sessions are those of visitors; what gradio says of them is no news to whoever starts the page.
        warnings.filterwarnings("ignore", message="This MCP server includes a tool that has a gr.State input")
        options["mcp_server"] = True
    try:
        return page.launch(**options)
    except Exception as error:
        if not isinstance(error, httpx.HTTPError) and "localhost" not in str(error):
            raise
        raise InputError(
            "the page does not answer on this machine: a proxy may block it", hint="set NO_PROXY=127.0.0.1"
        ) from error
