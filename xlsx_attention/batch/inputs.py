"""What a batch works on: files, folders, globs, lists and fsspec addresses → one sorted list, and a line for all
that is left out.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from xlsx_attention.batch.opening import digest_of, filesystem, is_remote
from xlsx_attention.batch.own_files import why_no_submission
from xlsx_attention.errors import UnreadableFile, UsageError
from xlsx_attention.model.budget import Budgets

#: What is read; the macros of an .xlsm are never run.
SUFFIXES = (".xlsx", ".xlsm")
#: Folders that systems and tools leave behind.
_JUNK_FOLDERS = frozenset({"__macosx", "__pycache__", "node_modules"})
_GLOB = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of the batch. ``name`` is how reports call it, ``address`` what is opened.

    ``digest`` is the SHA-256 of its content, ``""`` where it was refused; ``refusal`` is then ``(code, reason)``.
    """

    name: str
    address: str
    digest: str = ""
    refusal: tuple[str, str] | None = None

    @property
    def macros(self) -> bool:
        return self.name.lower().endswith(".xlsm")


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is no submission, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Gathered:
    files: tuple[InputFile, ...]
    skipped: tuple[Skipped, ...]


def read_list(path: str) -> list[str]:
    """The paths of a list, one a line; empty lines and lines that begin with ``#`` are left out."""
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as stream:
            lines = [line.strip("\r\n") for line in stream]
    except OSError as error:
        raise UsageError("no-list", f"the list cannot be read ({error.strerror})", where=path) from None
    return [line for line in lines if line.strip() and not line.startswith("#")]


def gather(
    paths: Iterable[str | os.PathLike[str]],
    *,
    exclude: Iterable[str | os.PathLike[str]] = (),
    budgets: Budgets | None = None,
) -> Gathered:
    """Every workbook under ``paths``, sorted by name, each once, with the digest of its content.

    ``exclude``: folders that are never entered (the batch's own output) and files (the key) that are no submission.
    Raises :class:`UsageError` for a pattern or folder that holds no workbook at all.
    """
    budgets = budgets or Budgets.batch()
    walk = _Walk({os.path.realpath(path) for path in exclude}, budgets)
    for path in paths:
        before = len(walk.found)
        text = os.fspath(path)
        walk.take(text)
        if len(walk.found) == before and (os.path.isdir(text) or _GLOB & set(text)):
            walk.skip(text, "holds no .xlsx or .xlsm workbook")
    files = []
    for address, name in sorted(walk.found.items(), key=lambda item: (item[1], item[0])):
        refusal = walk.refused.get(address)
        digest = ""
        if refusal is None:
            try:
                digest = digest_of(address, budgets)
            except UnreadableFile as error:
                refusal = (error.code, str(error))
        files.append(InputFile(name, address, digest, refusal))
    return Gathered(tuple(files), tuple(walk.skipped))


class _Walk:
    def __init__(self, excluded: set[str], budgets: Budgets) -> None:
        self.excluded, self.budgets = excluded, budgets
        self.found: dict[str, str] = {}
        self.refused: dict[str, tuple[str, str]] = {}
        self.skipped: list[Skipped] = []
        self._known: set[str] = set()

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(Skipped(shown(path), reason))

    def take(self, path: str) -> None:
        """One argument of the call, or one line of a list."""
        if is_remote(path):
            self._remote(path)
        elif os.path.isdir(path) and not os.path.islink(path):
            self._folder(path)
        elif os.path.lexists(path):
            self._file(path, named=True)
        elif _GLOB & set(path):
            for match in sorted(glob.glob(path, recursive=True)):
                if os.path.isdir(match) and not os.path.islink(match):
                    self._folder(match)
                else:
                    self._file(match, named=False)
        else:
            self._refuse(path, "missing-file", "does not exist; check the path")

    def _refuse(self, path: str, code: str, reason: str) -> None:
        self._add(path)
        self.refused[path] = (code, reason)

    def _add(self, path: str) -> None:
        whole = path if is_remote(path) else os.path.abspath(path)
        if whole not in self._known:
            self._known.add(whole)
            self.found[path] = shown(path)

    def _folder(self, folder: str) -> None:
        if os.path.realpath(folder) in self.excluded:
            self.skip(folder, "is the folder of the report itself")
            return
        for entry in _scan(folder, self):
            if entry.is_dir(follow_symlinks=False):
                if entry.name.startswith(".") or entry.name.lower() in _JUNK_FOLDERS:
                    self.skip(entry.path, "is a folder of a system or tool")
                else:
                    self._folder(entry.path)
            else:
                self._file(entry.path, named=False)

    def _file(self, path: str, *, named: bool) -> None:
        base = os.path.basename(path)
        if self._excluded(path):
            self.skip(path, "is the key or part of the report, not a submission")
        elif base.startswith("~$"):
            self.skip(path, "is the lock file of an open workbook")
        elif base.startswith("."):
            self.skip(path, "is a hidden file")
        elif not base.lower().endswith(SUFFIXES):
            self.skip(path, "is no .xlsx or .xlsm workbook")
        else:
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                self._refuse(path, "symlink", "is a symbolic link, which is not followed; hand in the file itself")
            elif not stat.S_ISREG(mode):
                kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
                self._refuse(path, "not-a-file", f"is {kind}; hand in a workbook saved as .xlsx")
            elif not named and (reason := why_no_submission(path, self.budgets)):
                self.skip(path, reason)
            else:
                self._add(path)

    def _excluded(self, path: str) -> bool:
        real = os.path.realpath(path)
        return any(real == other or real.startswith(other + os.sep) for other in self.excluded)

    def _remote(self, address: str) -> None:
        files, path = filesystem(address)
        try:
            if _GLOB & set(path):
                found = sorted(files.glob(path))
            elif files.isdir(path):
                found = sorted(files.find(path))
            else:
                found = [path]
        except OSError as error:
            self._refuse(address, "missing-file", f"cannot be listed ({error})")
            return
        for item in found:
            base = PurePosixPath(str(item)).name
            whole = str(files.unstrip_protocol(item))
            if base.startswith(("~$", ".")) or not base.lower().endswith(SUFFIXES):
                self.skip(whole, "is no .xlsx or .xlsm workbook")
            else:
                self._add(whole)


def _scan(folder: str, walk: _Walk) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        walk.skip(folder, f"cannot be listed ({error.strerror})")
        return
    yield from found


def shown(path: str) -> str:
    """A path as reports show it: ``/`` between its parts, and only what UTF-8 can hold."""
    text = path.replace(os.sep, "/") if os.sep != "/" else path
    text = text.removeprefix("./")
    try:
        # Names are octets here; a locale that is not UTF-8 has taken them for something else.
        return os.fsencode(text).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
