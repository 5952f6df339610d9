"""``python -m tests.fuzz.run TARGET SECONDS [FOLDER]``: atheris on one target of the harness, outside the suite.

Needs atheris (``pip install atheris``). New inputs gather in FOLDER; one that breaks the invariant is written beside
it as
``crash-…`` and ends the run with its traceback. Make a case of it in ``tests/fuzz/test_found.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Run until the time is over or an input breaks the invariant."""
    import atheris

    with atheris.instrument_imports(include=["xlsx_attention"]):
        from tests.fuzz import harness
    name, seconds = sys.argv[1], int(sys.argv[2])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else f"fuzz-{name}")
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(harness.seeds(name)):
        (folder / f"seed-{number}").write_bytes(seed)
    options = [f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=2048", "-max_len=16384"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={folder.parent}/", str(folder)], harness.TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
