"""Pages in the browser over the library, for people who write no code: the explorer, and one page per module.

Plain functions of the modules here compute and show what is on a page. Gradio is imported only when a page is
built.
"""

from __future__ import annotations

from .pages import explorer_page, launch, module_page

__all__ = ["explorer_page", "launch", "module_page"]
