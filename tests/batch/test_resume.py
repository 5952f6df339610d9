"""Killed at any moment and started again, a batch does what is missing and ends in the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.batch.class_set import ClassSet
from tests.batch.conftest import Judged, assert_same, contents
from xlsx_attention.batch import Settings, run_batch
from xlsx_attention.batch.journal import Journal
from xlsx_attention.batch.outcome import Outcome
from xlsx_attention.batch.supervisor import LocalWorkers
from xlsx_attention.errors import UsageError

PROGRAM = """
import sys
from xlsx_attention.batch import Settings, run_batch
from xlsx_attention.batch.supervisor import LocalWorkers
run_batch([sys.argv[1]], sys.argv[2], Settings(), runner=LocalWorkers(2))
"""


def test_killed_at_random_moments(judged: Judged, tmp_path: Path, project: Path) -> None:
    out = tmp_path / "out"
    draw = random.Random(7)
    command = [sys.executable, "-c", PROGRAM, str(judged.made.folder), str(out)]
    kills = 0
    for _ in range(200):
        process = subprocess.Popen(command, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.0, 1.6))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
        if kills == 20:
            break
    assert kills == 20
    run_batch([judged.made.folder], out, Settings(), runner=LocalWorkers(2))
    assert_same(out, judged.folder)


def test_nothing_is_judged_twice(judged: Judged) -> None:
    before = contents(judged.folder)
    again = run_batch([judged.made.folder], judged.folder, Settings(), runner=LocalWorkers(1))
    assert again.judged == 0
    assert contents(judged.folder) == before


def test_other_settings_are_other_results(class_set: ClassSet, tmp_path: Path) -> None:
    file = class_set.folder / min(class_set.slips)
    run_batch([file], tmp_path / "out", Settings(), runner=LocalWorkers(1))
    assert run_batch([file], tmp_path / "out", Settings(rtol=0.5), runner=LocalWorkers(1)).judged == 1
    assert run_batch([file], tmp_path / "out", Settings(rtol=0.5), runner=LocalWorkers(1)).judged == 0


def outcome(text: str) -> Outcome:
    return Outcome("agrees", f'{{"text": "{text}"}}', f"<p>{text} 词元")


def test_a_torn_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    for name in ("one", "two", "three"):
        journal.add(name, f"digest-{name}", outcome(name))
    journal.close()
    whole = path.read_bytes()
    ends = [position + 1 for position, byte in enumerate(whole) if byte == 10]
    for cut in range(ends[1], len(whole)):
        path.write_bytes(whole[:cut])
        journal = Journal(path)
        assert ("one" in journal, "two" in journal, "three" in journal) == (True, True, False)
        journal.add("three", "digest-three", outcome("three"))
        assert journal.get("three") == outcome("three")
        journal.close()
        assert path.read_bytes() == whole


def test_a_damaged_line_is_judged_again(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    for name in ("one", "two"):
        journal.add(name, name, outcome(name))
    journal.close()
    data = bytearray(path.read_bytes())
    data[60] ^= 1
    path.write_bytes(data)
    journal = Journal(path)
    assert ("one" in journal, "two" in journal) == (False, True)
    assert journal.get("two") == outcome("two")
    journal.close()


def test_two_batches_in_one_folder_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    first = Journal(tmp_path / "journal")
    with pytest.raises(UsageError, match="another batch"):
        Journal(tmp_path / "journal")
    first.close()


def test_a_journal_that_is_replaced_before_it_is_locked_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other batch compacts its journal and ends just between our opening and our lock."""
    fcntl = pytest.importorskip("fcntl")
    first = Journal(tmp_path / "journal")
    first.add("one", "digest-one", outcome("one"))
    lock = fcntl.flock

    def late(descriptor: int, how: int) -> None:
        first.compact(["one"])
        first.close()
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(UsageError, match="another batch"):
        Journal(tmp_path / "journal")
    monkeypatch.undo()
    again = Journal(tmp_path / "journal")
    assert again.get("one") == outcome("one")
    again.close()


LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
"""


def test_a_disk_that_fills_up_is_said_in_a_line(judged: Judged, tmp_path: Path, project: Path) -> None:
    """No file may grow over 300 bytes, less than a line of the journal, so that one is torn."""
    pytest.importorskip("resource")
    out = tmp_path / "out"
    command = [sys.executable, "-c", LIMITED + PROGRAM, str(judged.made.folder), str(out)]
    # Without bytecode: an interpreter under this limit leaves files of it cut off at 300 bytes (CPython 3.11 does not
    # look at how much was written), and whatever imports them later, in this run or the next, fails on them.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert "make room and run the batch again: it goes on from here" in done.stderr.splitlines()[-1]
    assert (out / ".journal").stat().st_size == 300
    run_batch([judged.made.folder], out, Settings(), runner=LocalWorkers(2))
    assert_same(out, judged.folder)


@pytest.mark.parametrize("target", ["/dev/zero", "/dev/full"])
def test_a_journal_that_is_a_device_is_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "journal").symlink_to(target)
    with pytest.raises(UsageError, match="no regular file"):
        Journal(tmp_path / "journal")


def test_max_fail_reports_the_same_files_whatever_the_workers(class_set: ClassSet, tmp_path: Path) -> None:
    rows = []
    for jobs in (1, 3):
        result = run_batch([class_set.folder], tmp_path / str(jobs), Settings(), runner=LocalWorkers(jobs), max_fail=4)
        rows.append(result.rows)
        assert sum(row.status in ("diverges", "unreadable") for row in result.rows) == 4
        assert sum(row.status == "not-run" for row in result.rows) > 0
        assert result.exit_code == 4
    assert rows[0] == rows[1]


def test_failed_first(class_set: ClassSet, tmp_path: Path) -> None:
    out = tmp_path / "out"
    names = [*sorted(class_set.slips)[:2], "student-0001.xlsx", "student-0000.xlsx"]
    paths = [class_set.folder / name for name in names]
    run_batch(paths, out, Settings(), runner=LocalWorkers(1))
    order: list[str] = []

    class Watching(LocalWorkers):
        def run(self, tasks, settings, done):  # type: ignore[no-untyped-def]
            tasks = list(tasks)
            order.extend(Path(task.address).name for task in tasks)
            super().run(tasks, settings, done)

    result = run_batch(paths, out, Settings(rtol=1e-9), runner=Watching(1), failed_first=True)
    assert result.judged == 4
    assert set(order[:2]) == set(names[:2])
    # With the settings of the run before, only what failed is judged anew.
    assert run_batch(paths, out, Settings(rtol=1e-9), runner=LocalWorkers(1), failed_first=True).judged == 2
