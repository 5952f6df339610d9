"""Running the command as a shell does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """``python -m xlsx_attention ARGUMENTS``: exit code, stdout and stderr as UTF-8 text."""
    return subprocess.run(
        [sys.executable, "-m", "xlsx_attention", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        timeout=100,
        check=False,
    )
