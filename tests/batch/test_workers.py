"""A file that hangs, crashes, eats memory or is killed is a row with its reason, and the batch goes on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from xlsx_attention.batch import Settings, run_batch
from xlsx_attention.batch.child import limit_memory
from xlsx_attention.batch.supervisor import LocalWorkers, WorkerUnusable

FATES = {
    "hang": "timeout",
    "spin": "timeout",
    "crash": "crashed",
    "killed": "killed",
    "exit": "crashed",
    "memory": "memory",
}


def ill(jobs: int, judge: str = "judge") -> LocalWorkers:
    return LocalWorkers(jobs, judge=f"tests.batch.ill_judges:{judge}")


def test_every_fate_is_a_row_and_nobody_else_suffers(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(20):
        (folder / f"good-{number}.xlsx").write_text(f"print {number}")
    for fate in FATES:
        (folder / f"{fate}.xlsx").write_text(fate)
    result = run_batch([folder], tmp_path / "out", Settings(timeout=1, memory=1 << 30), runner=ill(3))
    found = {Path(row.name).stem: row for row in result.rows}
    assert {name: row.code for name, row in found.items() if row.code} == FATES
    assert sum(row.status == "agrees" for row in result.rows) == 20
    assert "--timeout" in found["hang"].reason
    assert "SIGSEGV" in found["crash"].reason
    assert "--memory" in found["memory"].reason
    assert result.exit_code == 4


def test_no_worker_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    for number in range(4):
        (tmp_path / "class" / f"{number}.xlsx").write_text(f"hang {number}")
    before = children()
    began = time.monotonic()

    def interrupt(done: int, total: int, status: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        # The very first report of progress comes before any worker starts.
        run_batch([tmp_path / "class"], tmp_path / "out", runner=ill(2), progress=interrupt)
    assert children() == before
    assert time.monotonic() - began < 30


def children() -> set[str]:
    me = os.getpid()
    return {entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit() and _parent(entry) == me}


def _parent(entry: Path) -> int | None:
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def test_a_worker_that_cannot_start_is_the_calls_fault(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_text("good")
    with pytest.raises(WorkerUnusable, match="cannot be started"):
        run_batch(
            [tmp_path / "a.xlsx"], tmp_path / "out", runner=LocalWorkers(1, judge="tests.batch.ill_judges:absent")
        )


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number:02}.xlsx").write_text(f"good {number}")

    class Interrupting(LocalWorkers):
        def run(self, tasks, settings, done):  # type: ignore[no-untyped-def]
            def stopping(task, outcome):  # type: ignore[no-untyped-def]
                done(task, outcome)
                if outcome and len(seen) == 4:
                    raise KeyboardInterrupt
                seen.append(task)
                return True

            seen: list[object] = []
            super().run(tasks, settings, stopping)

    before = children()
    result = run_batch([folder], tmp_path / "out", runner=Interrupting(2, judge="tests.batch.ill_judges:slow"))
    assert result.interrupted
    assert result.exit_code == 4
    assert sum(row.status == "agrees" for row in result.rows) == 5
    assert sum(row.status == "not-run" for row in result.rows) == 7
    assert children() == before
    again = run_batch([folder], tmp_path / "out", runner=ill(2))
    assert (again.judged, again.exit_code) == (7, 0)


def test_memory_limit_is_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    asked: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: asked.update({which: limits}))
    limit_memory(1 << 30)
    assert asked[resource.RLIMIT_AS][0] == 1 << 30
    assert asked[resource.RLIMIT_CORE] == (0, 0)
