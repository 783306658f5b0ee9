"""Chromium as the tests and the tools of the page use it."""

import shutil
from typing import Any

from playwright.sync_api import Browser, BrowserType

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
    "tiny": {"viewport": {"width": 320, "height": 568}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True},
    "landscape": {
        "viewport": {"width": 844, "height": 390},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    "tablet": {"viewport": {"width": 820, "height": 1180}, "is_mobile": True, "has_touch": True},
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "laptop": {"viewport": {"width": 1120, "height": 700}},
}
"""What people hold in their hands, or sit at."""


def found(whole: bool = False) -> str | None:
    """The system's Chromium; rather the one that can have no windows, which is quicker, unless the whole is wanted."""
    return (None if whole else shutil.which("chromium-headless-shell")) or shutil.which("chromium")


def launch(engine: BrowserType, whole: bool = False) -> Browser:
    """Chromium, without a window."""
    return engine.launch(executable_path=found(whole), args=ARGUMENTS)
