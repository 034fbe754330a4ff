"""Starting the page, closed to everything it does not need."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .guard import Guard, refuse_addresses
from .handlers import shown_errors
from .limits import MAX_VECTOR_BYTES

__all__ = ["launch", "launch_options", "page_class"]

_FONTS = ("system-ui", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
_MONO = ("ui-monospace", "DejaVu Sans Mono", "Menlo", "Consolas", "monospace")


def launch_options() -> dict[str, Any]:
    """Options of ``Blocks.launch``: upload limit, no files of the machine, no stack traces, no outside fonts."""
    import gradio as gr
    from starlette.middleware import Middleware

    return {
        "max_file_size": MAX_VECTOR_BYTES,
        "allowed_paths": [],
        "blocked_paths": [str(Path.cwd()), str(Path.home())],
        "strict_cors": True,
        "show_error": False,
        "ssr_mode": False,
        "enable_monitoring": False,
        "footer_links": ["settings"],
        "theme": gr.themes.Default(font=list(_FONTS), font_mono=list(_MONO)),
        "css": (Path(__file__).parent / "templates" / "style.css").read_text(encoding="utf-8"),
        "app_kwargs": {"middleware": [Middleware(Guard)]},
    }


def page_class() -> Any:
    """``gradio.Blocks`` that opens no address a visitor names, and is served with :func:`launch_options`."""
    import gradio as gr

    class Page(gr.Blocks):  # type: ignore[misc]
        async def preprocess_data(self, block_fn: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            with shown_errors():
                refuse_addresses(inputs)
            return await super().preprocess_data(block_fn, inputs, *args, **kwargs)

        def launch(self, **options: Any) -> Any:
            # A visitor's Hub id must not open what only this machine's user may read.
            os.environ.setdefault("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")
            return super().launch(**{**launch_options(), **options})

    return Page


def launch(page: Any, **options: Any) -> Any:
    """Serve a page, on 127.0.0.1 unless ``GRADIO_SERVER_NAME`` says otherwise; the address is printed.

    Args:
        page: from :func:`~evaluate_bias.ui.explorer_page` or :func:`~evaluate_bias.ui.module_page`.
        options: of ``Blocks.launch``, over those of :func:`launch_options`.
    """
    return page.launch(**options)
