"""Rules C2 to C6 once more, cell by cell, as slow and plain as the rulebook: to compare with."""

Cell = tuple[int, int]
Cells = frozenset[Cell]

TILES = {
    "2": ["##"],
    "I": ["###"],
    "V": ["##", "#."],
    "O": ["##", "##"],
    "L": ["###", "#.."],
    "T4": ["###", ".#."],
    "Z": ["##.", ".##"],
    "U": ["###", "#.#"],
    "T5": ["###", ".#.", ".#."],
    "W": ["##.", ".##", "..#"],
    "X": [".#.", "###", ".#."],
}
COPIES = {
    "classic": dict.fromkeys(["2", "I", "V", "O", "L", "T4", "Z"], 2) | dict.fromkeys(["U", "T5", "W", "X"], 1),
    "pocket": dict.fromkeys(["2", "I", "V"], 2) | dict.fromkeys(["L", "T4", "Z", "O", "U", "T5", "W"], 1),
}
ROWS = {
    ("classic", 2): "2 4 6 8 10 12 14 16 16 14 12 10 8 6 4 2",
    ("classic", 3): "2 4 6 8 10 12 14 16 18 20 20 18 16 14 12 10 8 6 4 2",
    ("classic", 4): "6 8 10 12 14 16 18 20 20 20 20 20 20 18 16 14 12 10 8 6",
    ("pocket", 2): "10 " * 10,
    ("pocket", 3): "12 " * 12,
    ("pocket", 4): "14 " * 14,
}
CENTRE = "2 4 6 6 4 2"


def octagon(rows: str, width: int, height: int) -> Cells:
    """Rows of these widths, centred on a board of that size."""
    widths = [int(row) for row in rows.split()]
    low = (height - len(widths)) // 2
    return frozenset(((width - row) // 2 + x, low + y) for y, row in enumerate(reversed(widths)) for x in range(row))


def board(edition: str, seats: int) -> tuple[Cells, Cells]:
    """All cells, and the cells of the centre."""
    widths = [int(row) for row in ROWS[edition, seats].split()]
    size = max(widths), len(widths)
    return octagon(ROWS[edition, seats], *size), octagon(CENTRE if edition == "classic" else "", *size)


def ways(piece: str) -> set[Cells]:
    """All rotations and reflections of a tile, moved to the corner."""
    shape = {(x, y) for y, row in enumerate(TILES[piece]) for x, mark in enumerate(row) if mark == "#"}
    found = set()
    for _ in range(4):
        shape = {(-y, x) for x, y in shape}
        for way in (shape, {(-x, y) for x, y in shape}):
            left, low = min(x for x, _ in way), min(y for _, y in way)
            found.add(frozenset((x - left, y - low) for x, y in way))
    return found


def beside(cells: set[Cell] | Cells) -> set[Cell]:
    """The cells that share a side with one of these."""
    return {near for x, y in cells for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))}


def read_cell(name: str) -> Cell:
    """The column and row of a cell's name."""
    return ord(name[0]) - ord("a"), int(name[1:]) - 1


def legal(position: str) -> set[tuple[str, Cells]]:
    """Everything that the seat on turn may place, each with its cells."""
    fields = dict(word.split("=") for word in position.split()[1:])
    if fields["turn"] == "-":
        return set()
    edition, seats, turn = fields["edition"], int(fields["seats"]), int(fields["turn"])
    cells, centre = board(edition, seats)
    shapes = {way: piece for piece in TILES for way in ways(piece)}
    pillars: list[set[Cell]] = [set() for _ in range(seats)]
    tiles: list[set[Cell]] = [set() for _ in range(seats)]
    hand = dict(COPIES[edition])
    for seat, side in enumerate(fields["placed"].split("/")):
        for text in side.split(";") if side != "-" else ():
            laid = {read_cell(name) for name in text.split(",")}
            if len(laid) == 1:
                pillars[seat] |= laid
                continue
            tiles[seat] |= laid
            if seat == turn:
                left, low = min(x for x, _ in laid), min(y for _, y in laid)
                hand[shapes[frozenset((x - left, y - low) for x, y in laid)]] -= 1
    all_pillars = set().union(*pillars)
    all_tiles = set().union(*tiles)
    free = cells - all_pillars - all_tiles
    rim = {cell for cell in cells if not beside({cell}) <= cells}

    found: set[tuple[str, Cells]] = set()
    standing = len(pillars[turn])
    if standing < 3:
        if edition == "classic":
            spots = free - centre
        elif standing < 2:
            spots = free & rim - beside(all_pillars)
        else:
            spots = free & (rim | beside(all_tiles)) - beside(all_pillars)
        found |= {("P", frozenset([spot])) for spot in spots}
    if standing < 2:
        return found
    mine = beside(pillars[turn] | tiles[turn])
    for piece, copies in hand.items():
        for way in ways(piece) if copies else ():
            for x0, y0 in cells | {(x - 1, y) for x, y in cells} | {(x - 2, y) for x, y in cells}:
                spot = frozenset((x0 + x, y0 + y) for x, y in way)
                if spot <= free and spot & mine:
                    found.add((piece, spot))
    return found
