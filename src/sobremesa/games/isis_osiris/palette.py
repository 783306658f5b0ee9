"""The colours of the stones, no blue and no vermilion, which mean plus and minus here; and the eye on the tiles."""

from sobremesa.core.drawing import INK, Palette, SeatColour

GLASS = (
    SeatColour("violet", "#7B4FA3", "#472768", "#B792DC", "#FFFFFF", "#FFFFFF", "plain"),
    SeatColour("amber", "#E0A100", "#7A5600", "#FFD873", "#3A2800", "#000000", "dots"),
    SeatColour("green", "#00875F", "#00503A", "#5FCFA9", "#FFFFFF", "#000000", "stripes"),
    SeatColour("ink", INK, "#000000", "#7F8694", "#FFFFFF", "#FFFFFF", "crosses"),
)
"""Glass as it lies on limestone in the light, and as it is printed."""

PALETTE: Palette = {
    "light": GLASS,
    "dark": (
        SeatColour("violet", "#B48EE0", "#7A50AB", "#DCC6F6", "#2A1242", "#000000", "plain"),
        SeatColour("amber", "#F2B544", "#A87408", "#FFE19B", "#3A2800", "#000000", "dots"),
        SeatColour("green", "#43C394", "#128060", "#A2ECD0", "#00271B", "#000000", "stripes"),
        SeatColour("ink", "#E6E3DC", "#9B9A96", "#FFFFFF", "#16181D", "#000000", "crosses"),
    ),
    "contrast": (
        SeatColour("violet", "#6A3A96", "#000000", "#8A5AB8", "#FFFFFF", "#FFFFFF", "plain"),
        SeatColour("amber", "#E0A100", "#000000", "#F5C542", "#000000", "#000000", "dots"),
        SeatColour("green", "#00704F", "#000000", "#008F66", "#FFFFFF", "#FFFFFF", "stripes"),
        SeatColour("ink", "#000000", "#000000", "#3A3D45", "#FFFFFF", "#FFFFFF", "crosses"),
    ),
}

EYE = "M9 31Q31 10 53 31Q31 49 9 31zM9 22Q31 2 55 20M29 41Q28 49 22 54M37 40Q42 53 54 50Q57 45 51 44"
"""An eye with its brow and two marks below, on a tile of 64x64; the iris is a circle."""
