"""Names of the public workbooks that tests read, as they lie beside the repository."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "corpus"

#: Relative names, sorted; empty where the folder is not there (the tests over it are then skipped by name).
CORPUS = sorted(str(path.relative_to(_FOLDER)) for path in _FOLDER.rglob("*.xlsx")) or ["(no corpus)"]
