"""The site as it is built: every link leads somewhere, no mark-up is left to read, and the search finds its words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
HERE = "https://site.invalid/"


class Page(HTMLParser):
    """Where a page leads, what in it can be led to, and its text outside code."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.anchors: set[str] = set()
        self.text: list[str] = []
        self._unread = 0
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unread += tag in ("code", "script", "style")
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.leads.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in ("code", "script", "style")

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.text.append(data)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=900)
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """The pages by their address; the one for addresses that lead nowhere stands in no place of its own."""
    files = [file for file in site.rglob("*.html") if file.name != "404.html"]
    return {file.relative_to(site).as_posix().removesuffix("index.html"): Page(file) for file in files}


def test_every_link_inside_the_site_leads_somewhere(site: Path, pages: dict[str, Page]) -> None:
    dead, seen = [], 0
    for name, page in pages.items():
        for lead in page.leads:
            target = urlsplit(urljoin(HERE + name, lead))
            if target.netloc != "site.invalid":
                continue
            seen += 1
            place = unquote(target.path).lstrip("/")
            led = pages.get(place)
            is_anchor = led is not None and unquote(target.fragment) in {"", *led.anchors}
            if not (is_anchor or (led is None and (site / place).is_file())):
                dead.append((name, lead))
    assert len(pages) > 80
    assert seen > 5000
    assert dead == []


def test_no_page_shows_raw_marks(pages: dict[str, Page]) -> None:
    """Roles of Sphinx, formulas of LaTeX, and what the site puts tables in the place of."""
    raw = re.compile(
        r":(?:func|class|meth|mod|data|attr|exc|obj):|\\\(|\\\[|\$\$|\\frac|--8<--|<!--|\]\(|```"
    )
    assert {n: raw.findall(text) for n, page in pages.items() if raw.search(text := "".join(page.text))} == {}


@pytest.mark.parametrize(
    ("word", "page"),
    [("license", "faq"), ("cite", "faq"), ("openai", "endpoint"), ("p-value", "faq"), ("German", "faq")],
)
def test_the_search_finds(site: Path, word: str, page: str) -> None:
    """Its index has the word, as readers type it, in a heading or text of the page that answers."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    told = " ".join(
        f"{e['title']} {e['text']}" for e in index["docs"] if e["location"].startswith(f"{page}/")
    )
    assert re.search(rf"\b{word}", told, re.IGNORECASE)
