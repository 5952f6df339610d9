"""The command line. ``main`` answers ``--version`` before anything heavy is loaded."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of ``xlsx-attention``."""
    if sys.argv[1:] == ["--version"]:
        from xlsx_attention import __version__

        sys.stdout.write(f"xlsx-attention {__version__}\n")
        return
    from xlsx_attention.cli.commands import run

    run()
