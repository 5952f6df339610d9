"""Writing for people: encodings that cannot, pipes that close, colours that are not wanted."""

from __future__ import annotations

import os
import sys

from xlsx_attention.reporting.safe import visible


def prepare() -> None:
    """Make both streams able to carry any text; what an encoding lacks is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def wants_color(no_color: bool) -> bool:
    """Colours only on a terminal, and never against NO_COLOR (https://no-color.org) or ``--no-color``."""
    return not no_color and not os.environ.get("NO_COLOR") and sys.stdout.isatty()


def complain(message: str) -> None:
    """One line on stderr; names and texts in it are made harmless for the terminal."""
    sys.stderr.write(f"xlsx-attention: {visible(' '.join(message.splitlines()), 2000)}\n")
