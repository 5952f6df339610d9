"""One palette for every report: Okabe and Ito's colours, which people with any colour vision tell apart.

Source: M. Okabe, K. Ito, "Color Universal Design" (2008). Fills are light tints of them, so that black text on a fill
keeps a contrast above 7:1; a sign goes with each verdict, so that colour never stands alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Shade:
    """``fill`` behind dark text, ``strong`` for bars and borders, ``dark`` behind light text; ``sign`` for print."""

    fill: str
    strong: str
    dark: str
    sign: str


VERDICT_SHADES: Final[dict[str, Shade]] = {
    "agrees": Shade("#DCEBF7", "#0072B2", "#12354A", "="),
    "origin": Shade("#F6C9A8", "#D55E00", "#7A3600", "✗"),
    "inherited": Shade("#FCE9BF", "#E69F00", "#5C4000", "↓"),
    "overridden": Shade("#EFC9DF", "#CC79A7", "#6B2F52", "✎"),
    "no-cached-value": Shade("#EDEDED", "#8A8A8A", "#3A3A3A", "∅"),
    "volatile": Shade("#CFEDE2", "#009E73", "#0B4A38", "~"),
    "external": Shade("#D6EEFB", "#56B4E9", "#1D4A66", "↗"),
    "circular": Shade("#F8F4B8", "#B8A800", "#4D4700", "↻"),
    "not-computed": Shade("#E2DDEB", "#6C5B93", "#3B3154", "?"),
}

#: From no weight to full weight, for heatmaps: white to their sky blue, under black text.
HEAT: Final = ("#FFFFFF", "#56B4E9")
#: A cell that is off by more than the tolerance.
OFF: Final = "#F6C9A8"
