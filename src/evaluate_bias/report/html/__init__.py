"""One HTML page with everything about results, which opens anywhere without a network."""

from .page import html_page, write_html

__all__ = ["html_page", "write_html"]
