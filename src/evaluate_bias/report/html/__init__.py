"""One HTML page with everything about results, which opens anywhere without a network."""

from .page import html_page as html_page
from .page import write_html as write_html
