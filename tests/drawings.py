"""Drawings taken apart, for the tests of every game's."""

import xml.etree.ElementTree as ET
from typing import Any

from kinds import Kind, trail
from sobremesa.core.state import State

SVG = "{http://www.w3.org/2000/svg}"


def sample(kind: Kind) -> list[State[Any]]:
    """The beginning of a random game, its end, and a few states between them."""
    states, _ = trail(kind, 0)
    return [*states[:: len(states) // 3 + 1], *states[-2:]]


def read(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def parts(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def count(root: ET.Element, name: str) -> int:
    return len(parts(root, name))


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        channels = (value / 255 for value in bytes.fromhex(colour[1:]))
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
