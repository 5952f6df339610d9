"""The batch: gather, judge what the journal lacks, write the reports."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from xlsx_attention.batch.inputs import Gathered, InputFile, Skipped, gather
from xlsx_attention.batch.journal import Journal
from xlsx_attention.batch.outcome import UNJUDGED, Outcome, Task, refused
from xlsx_attention.batch.reports import NAMES, write_reports
from xlsx_attention.batch.rows import Row
from xlsx_attention.batch.settings import Settings
from xlsx_attention.batch.supervisor import Done, LocalWorkers
from xlsx_attention.batch.work import grader_of
from xlsx_attention.errors import UsageError

JOURNAL = ".journal"


class Runner(Protocol):
    """Where the work is done: this machine, an executor, a cluster."""

    def run(self, tasks: Iterable[Task], settings: Settings, done: Done) -> None:
        """Judge every task; call ``done`` in the caller's thread with each outcome, and stop where it returns False."""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """``rows`` in the order of names; ``judged`` contents were judged now, the rest came from the journal."""

    rows: tuple[Row, ...]
    skipped: tuple[Skipped, ...]
    folder: Path
    judged: int = 0
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """0 all agree, 1 something diverges, 4 some files could not be judged."""
        states = {row.status for row in self.rows}
        if states & UNJUDGED:
            return 4
        return 1 if "diverges" in states else 0


#: Called with (contents done, contents in all, status of the last one) as the batch goes on.
Progress = Callable[[int, int, str], None]


def run_batch(
    paths: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    settings: Settings | None = None,
    *,
    runner: Runner | None = None,
    failed_first: bool = False,
    max_fail: int | None = None,
    progress: Progress | None = None,
) -> BatchResult:
    """Judge every workbook under ``paths`` and leave the reports in ``folder``.

    ``failed_first``: what diverged or could not be judged the last time is judged anew, before the rest.
    ``max_fail``: stop at so many files that diverge or cannot be judged. Raises :class:`UsageError` where the call is
    wrong: no workbook at all, a folder that cannot be written. ``KeyboardInterrupt`` ends the batch with reports on
    what is done.
    """
    settings = settings or Settings()
    if settings.key:
        grader_of(
            settings.read_key(), settings.rubric
        )  # a key or rubric that cannot be used is said now, not once a file
    target = _prepare(Path(folder), paths)
    gathered = gather(paths, exclude=[target, *([settings.key] if settings.key else [])], budgets=settings.budgets)
    _protect(target, [*paths, *(file.address for file in gathered.files), settings.key, settings.rubric])
    if not gathered.files:
        raise UsageError("no-input", "no .xlsx or .xlsm workbook was found; name files, folders or patterns")
    journal = Journal(target / JOURNAL)
    try:
        work = _Work(gathered, settings, journal, failed_first, max_fail, progress)
        work.run(runner or LocalWorkers())
        try:
            rows = write_reports(target, gathered, work.outcome, settings)
        except OSError as error:
            reason = f"a report cannot be written ({error.strerror}); make room and run it again: it goes on from here"
            raise UsageError("no-space", reason, where=str(target)) from None
        if not work.stopped:
            journal.compact(settings.result_key(file.digest) for file in gathered.files if file.digest)
    finally:
        journal.close()
    return BatchResult(rows, gathered.skipped, target, work.judged, work.interrupted)


def _prepare(folder: Path, paths: Sequence[str | os.PathLike[str]]) -> Path:
    for path in paths:
        if os.path.isdir(path) and os.path.realpath(path) == os.path.realpath(folder):
            raise UsageError(
                "output-is-input", "is the folder of the inputs; name another one for the report", where=str(folder)
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("no-folder", f"cannot be made ({error.strerror})", where=str(folder)) from None
    return folder


def _protect(folder: Path, inputs: Iterable[str | os.PathLike[str] | None]) -> None:
    """:class:`UsageError` where a report would take the place of an input: by its name, or through a link."""
    there = [path for name in NAMES if os.path.exists(path := folder / name)]
    taken = {(status.st_dev, status.st_ino): path for path in there for status in (os.stat(path),)}
    if not taken:
        return
    for source in inputs:
        try:
            status = os.stat(source or "")
        except (OSError, ValueError):  # an address, a pattern, or nothing: it is on no disk
            continue
        if (target := taken.get((status.st_dev, status.st_ino))) is not None:
            raise UsageError(
                "output-is-input",
                f"a report would take the place of the input {os.fspath(source or '')}; name another folder",
                where=str(target),
            )


class _Work:
    """The part of a batch that is judged now."""

    def __init__(
        self,
        gathered: Gathered,
        settings: Settings,
        journal: Journal,
        failed_first: bool,
        max_fail: int | None,
        progress: Progress | None,
    ) -> None:
        self.settings, self.journal, self.max_fail, self.progress = settings, journal, max_fail, progress
        self.judged = 0
        self.interrupted = self.stopped = False
        self._names: dict[str, list[InputFile]] = {}
        for file in gathered.files:
            self._names.setdefault(file.digest or f"refused {file.name}", []).append(file)
        self._order = list(self._names)
        self._bad: dict[str, bool] = {}
        self._first_pending = self._failed = 0
        self._cut: int | None = None
        self._after_cut: set[str] = set()
        if failed_first:
            failed = {digest for digest, status in journal.statuses.items() if status != "agrees"}
            self._order.sort(key=lambda digest: digest not in failed)
            for digest in failed & set(self._order):
                journal.forget(settings.result_key(digest))

    def run(self, runner: Runner) -> None:
        missing = []
        for digest in self._order:
            key = self.settings.result_key(digest)
            if digest.startswith("refused "):
                self._bad[digest] = True
            elif key in self.journal:
                self._bad[digest] = self.journal.status(key) != "agrees"
            else:
                missing.append(Task(self._names[digest][0].address, digest))
        total, before = len(self._order), len(self._bad)
        if not self._go_on() or not missing:
            return

        def done(task: Task, outcome: Outcome) -> bool:
            self.journal.add(self.settings.result_key(task.digest), task.digest, outcome)
            self._bad[task.digest] = outcome.status != "agrees"
            self.judged += 1
            if self.progress is not None:
                self.progress(before + self.judged, total, outcome.status)
            return self._go_on()

        if self.progress is not None:
            self.progress(before, total, "")
        try:
            runner.run(missing, self.settings, done)
        except KeyboardInterrupt:
            self.interrupted = self.stopped = True

    def _go_on(self) -> bool:
        """False once the files that are done, taken in order, hold ``max_fail`` bad ones.

        In order, so that the same files are in the report however many workers ran ahead.
        """
        while self._first_pending < len(self._order) and self._order[self._first_pending] in self._bad:
            digest = self._order[self._first_pending]
            self._first_pending += 1
            self._failed += len(self._names[digest]) if self._bad[digest] else 0
            if self.max_fail and self._failed >= self.max_fail and self._first_pending < len(self._order):
                self._cut, self.stopped = self._first_pending, True
                self._after_cut = set(self._order[self._cut :])
                return False
        return True

    def outcome(self, file: InputFile) -> Outcome:
        """The outcome of one of the batch's files, ``not-run`` where the batch ended before its turn."""
        if file.refusal is not None:
            return refused(file.digest, *file.refusal)
        if self._cut is not None and file.digest in self._after_cut:
            return refused(
                file.digest, "not-run", f"the batch stopped after {self._failed} files that failed", "not-run"
            )
        key = self.settings.result_key(file.digest)
        if key not in self.journal:
            return refused(file.digest, "not-run", "the batch was interrupted; run it again to go on", "not-run")
        return self.journal.get(key)
