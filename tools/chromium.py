"""Chromium as the tests and the tools of the page use it."""

import shutil
from typing import Any

from playwright.sync_api import Browser, Playwright

ARGUMENTS = (
    "--no-sandbox",  # It runs as root in CI, and only ever sees our own page.
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-sync",
    "--disable-component-update",
    "--disable-background-networking",
    "--no-first-run",
)
SCREENS: dict[str, dict[str, Any]] = {
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    "small": {
        "viewport": {"width": 360, "height": 740},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "laptop": {"viewport": {"width": 1120, "height": 700}},
}
"""What people hold in their hands, or sit at."""


def launch(playwright: Playwright) -> Browser:
    """The system's Chromium, without a window."""
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
