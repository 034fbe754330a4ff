"""One browser tab as tests use it: what is clicked, and what is waited for.

What the page shows comes in steps (a message, then the note below it; a file's name, then its value), so everything
here waits for the step that the next one needs, never for a moment that may pass.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

WAIT = 600_000
"""Milliseconds, for a machine that others use."""


class Visitor:
    """One browser tab, and what went wrong in it."""

    def __init__(self, context: Any, address: str) -> None:
        self.page = context.new_page()
        self.page.set_default_timeout(WAIT)
        self.outside: list[str] = []
        self.errors: list[str] = []
        inside = (address, "data:", "blob:", "about:")
        self.page.on("request", lambda r: None if r.url.startswith(inside) else self.outside.append(r.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)
        self.page.wait_for_selector("#words-run")

    def open_tab(self, title: str) -> None:
        """Choose a tab, in the menu of those that do not fit where it is none of the row."""
        from playwright.sync_api import TimeoutError as Late

        chosen = self.page.locator("button[role=tab][aria-selected=true]", has_text=title)
        in_row = self.page.locator("button[role=tab]:visible", has_text=title)
        in_menu = self.page.locator(".overflow-dropdown button:visible", has_text=title)
        more = self.page.locator("button[aria-label='More tabs']")
        for _ in range(WAIT // 10_000):  # the row may change while it is looked at
            try:
                if not in_row.count():
                    if not in_menu.count():
                        more.click(timeout=5_000)
                    in_menu.first.click(timeout=5_000)
                else:
                    in_row.first.click(timeout=5_000)
                chosen.first.wait_for(state="attached", timeout=5_000)
            except Late:
                continue
            self.page.wait_for_timeout(
                300
            )  # what is filled in while the page still mounts its fields is set back
            return
        raise AssertionError(f"no tab {title}")

    def choose_method(self, title: str, shows: str = "true", arg: Any = None) -> None:
        """Choose a method until its fields are there: a choice while the page still builds others may be lost."""
        from playwright.sync_api import TimeoutError as Late

        for _ in range(WAIT // 60_000):
            self.page.locator("#more-method input").click()
            self.page.get_by_role("option", name=title).click()
            try:
                self.page.wait_for_function(shows, arg=arg, timeout=60_000)
            except Late:
                continue
            return
        raise AssertionError(f"{title} does not show what is waited for")

    def run(self, button: str, output: str, waits_for: str = ".eb-tiles") -> str:
        """Click, and read what came out; for an output that shows nothing of the kind yet.

        A reason that comes in place of it fails at once, in its words. One that an earlier click left there is none:
        it stays until the next answer, below the seconds that are counted meanwhile.
        """
        place = self.page.locator(output)
        before = place.locator(".eb-warning").all_inner_texts()
        self.page.locator(button).click()
        self.sees(
            """([output, waits_for, before]) => {
                const place = document.querySelector(output);
                const reasons = [...place.querySelectorAll(".eb-warning")];
                return place.querySelector(waits_for)
                    || reasons.some(reason => !before.includes(reason.innerText));
            }""",
            [output, waits_for, before],
        )
        text = str(place.inner_text())
        assert place.locator(waits_for).count(), text
        return text

    def refused(self, button: str, output: str, why: str) -> None:
        """Click, and see the reason in the message and where the result would stand."""
        self.page.locator(button).click()
        self.page.locator(".toast-body", has_text=why).first.wait_for()
        self.page.locator(f"{output} .eb-warning", has_text=why).first.wait_for()

    def upload(self, field: str, file: Path) -> None:
        """Put a file into an empty field, and wait until the page has it."""
        self.page.locator(f"{field} input[type=file]").set_input_files(str(file))
        self.page.locator(f"{field} .file-preview", has_text=file.stem).wait_for()

    def clear(self, field: str) -> None:
        self.page.locator(f"{field} button[aria-label='Clear']").first.click()
        self.page.locator(f"{field} .file-preview").wait_for(state="detached")

    def sees(self, condition: str, arg: Any = None) -> None:
        """Wait until a JavaScript condition holds."""
        self.page.wait_for_function(condition, arg=arg)

    def fits(self) -> None:
        """Wait until the page is no wider than its window."""
        self.sees("document.documentElement.scrollWidth === document.documentElement.clientWidth")


def contrast(visitor: Visitor, selector: str) -> float:
    """WCAG contrast of an element's text against the first opaque background behind it."""
    front, back = visitor.page.locator(selector).first.evaluate(
        """element => {
            const canvas = document.createElement('canvas').getContext('2d');
            const rgb = colour => {
                canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
                return [...canvas.getImageData(0, 0, 1, 1).data];
            };
            let back = [255, 255, 255, 255];
            for (let e = element; e; e = e.parentElement) {
                const found = rgb(getComputedStyle(e).backgroundColor);
                if (found[3] === 255) { back = found; break; }
            }
            return [rgb(getComputedStyle(element).color), back];
        }"""
    )

    def luminance(colour: list[int]) -> float:
        parts = [c / 255 for c in colour[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(front), luminance(back)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)
