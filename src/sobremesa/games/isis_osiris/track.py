"""The scoring track, from -20 to +20, and the markers for what does not fit on it (I9)."""

END = 20


def on_track(total: int) -> tuple[int, int]:
    """How many 20-markers a total takes, negative ones for minus, and the field for the remainder.

    >>> on_track(20), on_track(23), on_track(40), on_track(-41)
    ((0, 20), (1, 3), (1, 20), (-2, -1))
    """
    sign = -1 if total < 0 else 1
    markers = max(abs(total) - 1, 0) // END
    return sign * markers, total - sign * markers * END
