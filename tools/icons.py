"""Draws the page's icons from ``web/public/icon.svg`` with Chromium: ``make icons``."""

from pathlib import Path

from playwright.sync_api import sync_playwright

from chromium import launch

PUBLIC = Path(__file__).resolve().parent.parent / "web/public"
SIZES = (192, 512)
LINEN = "#F5F0E6"
TABLE_SHARE = {"": 0.84, "-maskable": 0.62}
"""How much of its width the table takes: systems cut a maskable icon to a circle of four fifths."""


def main() -> None:
    """Writes them."""
    drawing = (PUBLIC / "icon.svg").read_text()
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        for size in SIZES:
            page = browser.new_page(viewport={"width": size, "height": size}, color_scheme="light")
            for ending, share in TABLE_SHARE.items():
                corners = 0 if ending else size * 0.2
                page.set_content(
                    f"<style>body {{ margin: 0 }} svg {{ width: {share:.0%}; transform: translateY(-7%) }}"
                    f" div {{ display: grid; place-items: center; height: 100vh;"
                    f" background: {LINEN}; border-radius: {corners}px }}</style><div>{drawing}</div>"
                )
                page.screenshot(path=PUBLIC / f"icon-{size}{ending}.png", omit_background=True)
        browser.close()


if __name__ == "__main__":
    main()
