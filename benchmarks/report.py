"""What was measured, as tables in Markdown and as a picture."""

from math import floor, log10
from typing import Any

from contenders import ENV, LIBRARY, OPEN_SPIEL, OWN, PETTING_ZOO, PGX, RULES, ZOO
from measuring import Rate, Row, rate, ratio
from sobremesa.core.drawing import INK, LINE, MUTED, SEATS, label, picture, rect
from sobremesa.core.drawing import path as stroke

AGAINST = ((LIBRARY, PETTING_ZOO), (ZOO, PETTING_ZOO), (RULES, OPEN_SPIEL), (ENV, PGX), (LIBRARY, OPEN_SPIEL))
"""Which of our ways to play is compared with which library."""
ROW, LEFT, WIDTH = 20, 250, 800
"""The height of a line of the picture, where its bars begin, and how wide it is."""


def tables(data: dict[str, Any]) -> str:
    """Everybody's moves a second, and ours against the others'."""
    rows: list[Row] = data["rows"]
    lines = [
        " · ".join(data["about"]) + f" · {data['turns']} turns of {data['seconds']:g} s",
        "",
        "| library | game | legal moves | moves/s | 95% interval |",
        "|---|---|---:|---:|---:|",
    ]
    for row in rows:
        found = rate(row)
        lines.append(
            f"| {row['library']} | {row['game']} | {_branching(row, rows)} | {found.mean:,.0f} | "
            f"{found.low:,.0f} to {found.high:,.0f} |"
        )
    for ours, theirs in AGAINST:
        own, others = _of(ours, rows), _of(theirs, rows)
        if own and others:
            heads = [f"{row['game']} ({_branching(row, rows)})" for row in others]
            lines += ["", f"| `{ours}` : {theirs} | {' | '.join(heads)} |", "|---" + "|---:" * len(others) + "|"]
            for row in own:
                cells = [_times(ratio(row, other)) for other in others]
                lines.append(f"| {row['game']} ({_branching(row, rows)}) | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def drawing(data: dict[str, Any]) -> str:
    """Everybody's moves a second as bars on a logarithmic scale, the fastest of each library first, as SVG."""
    groups = {name: _of(name, data["rows"]) for name in dict.fromkeys(row["library"] for row in data["rows"])}
    found = {name: sorted(rows, key=lambda row: -rate(row).mean) for name, rows in groups.items()}
    means = [rate(row).mean for row in data["rows"]]
    low, high = floor(log10(min(means))), floor(log10(max(means))) + 1

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - 90) * (log10(value) - low) / (high - low)

    parts: list[str] = []
    height = 40 + ROW * (len(means) + len(found)) + 10
    for power in range(low, high + 1):
        parts.append(stroke(f"M{x(10**power):.0f} 34V{height - 10}", stroke=LINE, stroke_width=1))
        parts.append(label(x(10**power), 22, f"{10**power:,}", 12, fill=MUTED))
    y = 40
    for name, rows in found.items():
        parts.append(label(16, y + ROW / 2, name, 13, "start", fill=INK, font_weight="bold"))
        y += ROW
        colour = SEATS[0 if name in OWN else 1]
        for row in rows:
            one = rate(row)
            parts.append(label(LEFT - 8, y + ROW / 2, row["game"], 13, "end", fill=INK))
            parts.append(rect(LEFT, y + 4, x(one.mean) - LEFT, ROW - 8, fill=colour.fill))
            line = f"M{x(one.low):.1f} {y + ROW / 2:.0f}H{x(one.high):.1f}"
            parts.append(stroke(line, stroke=INK, stroke_width=2))
            parts.append(label(x(one.mean) + 10, y + ROW / 2, f"{one.mean:,.0f}", 12, "start", fill=INK))
            y += ROW
    return picture(WIDTH, height, "Moves a second", " · ".join(data["about"]), *parts) + "\n"


def _of(library: str, rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["library"] == library]


def _branching(row: Row, rows: list[Row]) -> str:
    """How many legal moves there are at a time; who does not count them has as many as the same game elsewhere."""
    ours = row["library"] in OWN
    same = [other for other in rows if other["game"] == row["game"] and (other["library"] in OWN) == ours]
    known = [other["branching"] for other in (row, *same) if other["branching"]]
    return f"{known[0]:.0f}" if known else "?"


def _times(found: Rate) -> str:
    form = ".1f" if found.mean >= 10 else ".2f" if found.mean >= 0.1 else ".3f"
    return f"{found.mean:{form}} ({found.low:{form}} to {found.high:{form}})"
