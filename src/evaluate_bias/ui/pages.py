"""The two kinds of page and how they are served: the explorer, tab by tab, and the page of one evaluate module."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import kinds
from ..data.recipes import record_of
from ..errors import InputError, install_extra
from ..registry import METHODS, MethodRecord, get_method
from .card import card_tab
from .chat import chat_tab
from .compare import compare_tab
from .form import Form, Tab, Values, counts_words
from .guard import (
    MAX_ROWS,
    MAX_TABLE_BYTES,
    MAX_TEXT_BYTES,
    MAX_VECTOR_BYTES,
    QUEUE_LENGTH,
    REQUEST_SECONDS,
    Guard,
    check_number,
    upload_folder,
    uploads_only,
)
from .parts import render
from .pool import ModelPool
from .rows import rows_tab
from .sentence_pairs import pairs_tab
from .session import Session, shown_errors
from .word_lists import texts_tab, words_tab

if TYPE_CHECKING:
    import gradio as gr

MAX_CHOICE = 1_000
MAX_SESSIONS = 1_000  # gradio keeps 0.6 MB of the page for each. The least recently used go first

_KEPT_SECONDS = 3600

_FONTS = ("system-ui", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
_MONO = ("ui-monospace", "DejaVu Sans Mono", "Menlo", "Consolas", "monospace")
MODULE_SECONDS = 600.0

_INTRO = (
    "# Bias explorer\n"
    "Measure which social associations word vectors and language models carry: pick an example, look at the "
    "number, its uncertainty, and the words or sentences behind it."
)
_DEFAULT_DATA = {
    kinds.SENTENCE_PAIRS.name: "minimal_pairs",
    kinds.STEREOSET.name: "stereoset_style",
    kinds.TOKEN_SETS.name: "stereoset_style",
    kinds.PRONOUN_PAIRS.name: "winobias_style",
}
"""What provenance calls the data that a tab starts with, if they are not the method's default data set."""


OWN_TABS: Mapping[str, Callable[[Tab], None]] = {
    kinds.WORD_LISTS.name: words_tab,
    kinds.SENTENCE_PAIRS.name: pairs_tab,
}
"""The tab for each kind of data that the explorer has a tab for."""


def method_tab(tab: Tab, record: MethodRecord, prefix: str = "rows") -> None:
    """Draw the tab of a tab's only method inside the page that is being built.

    ``prefix`` begins the ids of its parts if it has a table, as there are several on one page.
    """
    draw = texts_tab if counts_words(record) else OWN_TABS.get(record.data.name)
    if draw is None:
        rows_tab(tab, record, prefix)
    else:
        draw(tab)


def explorer_page(pool: ModelPool | None = None) -> gr.Blocks:
    """Build the page. :func:`~evaluate_bias.ui.launch` serves it.

    Args:
        pool: where models come from, by default named assets and Hub models.

    Returns:
        The page, with its queue set up.
    """
    import gradio as gr

    with new_page("Bias explorer") as (page, session):
        tab = Tab(pool or ModelPool(), session)
        gr.Markdown(_INTRO, elem_id="intro")
        with gr.Tabs(elem_id="tabs"):
            for name, title, draw in (
                ("words", "Word lists", words_tab),
                ("pairs", "Sentence pairs", pairs_tab),
                ("chat", "Chat", chat_tab),
                ("texts", "Texts", texts_tab),
                ("more", "More methods", more_tab),
                ("compare", "Compare", compare_tab),
            ):
                with gr.Tab(title, id=name, elem_id=f"tab-{name}"):
                    draw(tab)
            with gr.Tab("Model card", id="card", elem_id="tab-card") as opened:
                card_tab(tab, opened)
            with gr.Tab("About", id="about", elem_id="tab-about"):
                gr.HTML(about_html(), elem_id="about")
    return page


def other_methods() -> list[MethodRecord]:
    """Return the methods for kinds of data that the explorer has no tab for."""
    return [r for r in METHODS.values() if r.data.name not in OWN_TABS and not counts_words(r)]


def more_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built: a choice of methods, and the form of the one chosen."""
    import gradio as gr

    records = other_methods()

    form = Form(tab, "more", methods=records)
    form.method()
    for record in records:
        with gr.Column(visible=record is records[0], elem_id=f"more-{record.name}") as column:
            gr.Markdown(record.summary, elem_id=f"more-{record.name}-summary")
            one = dataclasses.replace(tab, method=record, names_method=True)
            method_tab(one, record, f"more-{record.name}")
        form.fields[record.name] = column

    def show_method(values: Values) -> Values:
        chosen = get_method(values["method"]).name
        return {r.name: gr.update(visible=r.name == chosen) for r in records}

    form.on_choice("method", show_method, (), [r.name for r in records])


def about_html() -> str:
    """Return what the numbers are not, how to read every method, and what happens to a visitor's data."""
    return render(
        "about",
        records=METHODS.values(),
        vectors=MAX_VECTOR_BYTES // 2**20,
        tables=MAX_TABLE_BYTES // 2**20,
        pairs=MAX_ROWS,
        texts=MAX_TEXT_BYTES // 2**20,
        seconds=REQUEST_SECONDS,
    )


def module_page(name: str, pool: ModelPool | None = None) -> gr.Blocks:
    """Build the page of one evaluate module.

    Args:
        name: registry name of a method.
        pool: where models come from, by default named assets and Hub models.

    Returns:
        The page. Call ``launch()`` on it.

    Raises:
        UnknownNameError: no method has this name.
    """
    import gradio as gr

    record = get_method(name)
    with new_page(record.title) as (page, session):
        gr.Markdown(f"# {record.title}\n\n{record.summary}", elem_id="intro")
        method_tab(Tab(pool or ModelPool(), session, record, MODULE_SECONDS), record)
        note = record_of({"source": _DEFAULT_DATA.get(record.data.name, record.dataset)})
        caveats = (*(note.caveats if note else ()), *record.caveats)
        gr.Markdown(
            "**Know before you quote it**\n\n" + "\n".join(f"- {c}" for c in caveats), elem_id="caveats"
        )
    return page


# --- serving a page, closed to everything it does not need -----------------------------------------------------------


def launch_options() -> dict[str, Any]:
    """Return options for ``Blocks.launch``: upload limit, no local files, no stack traces, no outside fonts."""
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
    """Return a subclass of ``gradio.Blocks`` that opens no address a visitor names. It uses :func:`launch_options`."""
    import gradio as gr
    from gradio.state_holder import SessionState

    class Page(gr.Blocks):  # type: ignore[misc]
        async def preprocess_data(
            self, block_fn: Any, inputs: Any, state: Any, *args: Any, **kwargs: Any
        ) -> Any:
            # Gradio keeps a visitor's session for a time from when it was last set. The session is not an output of the
            # measurements, because gradio's tool server fails if a tool has another output next to a state.
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
            # All agents come through one client of gradio, and would share its session.
            if getattr(request, "headers", {}).get("x-gradio-user") == "mcp":
                state = SessionState(self)
            return await super().process_api(block_fn, inputs, state, request, *args, **kwargs)

        def get_api_info(self, *args: Any, **kwargs: Any) -> Any:
            info = super().get_api_info(*args, **kwargs)
            for endpoint in (info or {}).get("named_endpoints", {}).values():
                for parameter in endpoint["parameters"]:
                    # Replaces what gradio says about its own classes. A choice without options accepts any string.
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
    """Open a page to be filled, with the state that contains a visitor's :class:`~.session.Session`.

    Every request starts at once. The pool of models decides who waits, so that users of one model do not wait
    for users of another.
    """
    import gradio as gr

    upload_folder()  # before gradio asks for it
    cleanup = (_KEPT_SECONDS // 4, _KEPT_SECONDS)
    with page_class()(title=title, analytics_enabled=False, delete_cache=cleanup) as page:
        gr.HTML('<p role="status"></p>', elem_id="told", padding=False)
        yield page, gr.State(Session(), time_to_live=_KEPT_SECONDS)
    page.queue(max_size=QUEUE_LENGTH, default_concurrency_limit=QUEUE_LENGTH, api_open=False)


def launch(page: Any, *, mcp: bool = False, **options: Any) -> Any:
    """Serve a page, on 127.0.0.1 unless ``GRADIO_SERVER_NAME`` says otherwise. The address is printed.

    Args:
        page: from :func:`~evaluate_bias.ui.explorer_page` or :func:`~evaluate_bias.ui.module_page`.
        mcp: also serve the page's measurements as tools for agents (Model Context Protocol). So does
            ``GRADIO_MCP_SERVER=true`` in the environment, such as of a Space.
        options: of ``Blocks.launch``. They override :func:`launch_options`.

    Raises:
        InputError: the page that was started does not answer, or tools are requested and their package is not
            installed.
    """
    import httpx

    if mcp or os.environ.get("GRADIO_MCP_SERVER", "").casefold() == "true":
        if find_spec("mcp") is None:  # gradio would start all the same, and answer 404 to agents
            raise InputError(f"tools for agents need the mcp package: {install_extra('mcp')}")
        from gradio import mcp as tools

        # Where gradio puts files of agents. It read this when it was imported, before there was a folder for uploads.
        tools.DEFAULT_TEMP_DIR = str(upload_folder())
        # Sessions belong to visitors. Gradio's warning about them does not concern whoever starts the page.
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
