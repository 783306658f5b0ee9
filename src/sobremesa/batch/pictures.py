"""Pictures of several games side by side, and of one game after the other, as SVG."""

import re
from collections.abc import Sequence
from math import ceil, sqrt

from sobremesa.core.drawing import Markup, at, element, group

SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


def side_by_side(pictures: Sequence[str], scale: float = 1.0) -> str:
    """Pictures of the same size in a grid that is about as wide as high."""
    width, height = _size(pictures[0])
    columns = ceil(sqrt(len(pictures)))
    placed = [
        group(Markup(one), transform=at(index % columns * width, index // columns * height))
        for index, one in enumerate(pictures)
    ]
    return _whole(columns * width, ceil(len(pictures) / columns) * height, scale, placed)


def one_after_the_other(pictures: Sequence[str], seconds: float, scale: float = 1.0) -> str:
    """A film of pictures of the same size, each shown for so many seconds, over and over again."""
    count = len(pictures)
    frames = []
    for index, one in enumerate(pictures):
        shown = ["inline" if frame == index else "none" for frame in (index - 1, index, index + 1)]
        times = [0, index / count, (index + 1) / count]
        first, last = int(index == 0), 2 if index == count - 1 else 3
        film = element(
            "animate",
            attributeName="display",
            values=";".join(shown[first:last]),
            keyTimes=";".join(f"{time:.6g}" for time in times[first:last]),
            dur=f"{count * seconds:g}s",
            calcMode="discrete",
            repeatCount="indefinite",
        )
        frames.append(group(film, Markup(one)))
    return _whole(*_size(pictures[0]), scale, frames)


def _size(picture: str) -> tuple[float, float]:
    found = SIZE.match(picture)
    assert found, picture[:100]
    return float(found[1]), float(found[2])


def _whole(width: float, height: float, scale: float, parts: Sequence[str]) -> str:
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width * scale,
        height=height * scale,
    )
