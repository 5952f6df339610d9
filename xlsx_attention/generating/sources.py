"""Specs and matrices from files: TOML, npz, JSON, CSV. What is wrong with one is said with the file's name."""

from __future__ import annotations

import csv
import io
import json
import os
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from xlsx_attention.errors import UsageError
from xlsx_attention.model.example import TENSORS, ExampleSpec

PathLike = str | os.PathLike[str]
#: The most bytes of a file of matrices, and the most numbers in it once it is unpacked.
MAX_BYTES: Final = 256 * 1024 * 1024
MAX_NUMBERS: Final = 32 * 1024 * 1024
FIELDS: Final = tuple(field.name for field in fields(ExampleSpec))
#: Fields of a spec that hold several words.
_LISTS: Final = ("tokens", "target", "lessons", "blanks", "kinds")
_NUMBERS: Final = ("length", "d_model", "d_k", "d_v", "heads", "seed", "decimals", "mistakes", "versions")
_FLAGS: Final = ("w_o", "bias", "embedding", "exercise")


def _bytes(path: PathLike) -> bytes:
    try:
        if Path(path).stat().st_size > MAX_BYTES:
            raise UsageError("too-large", f"the file is larger than {MAX_BYTES:,} bytes", where=os.fspath(path))
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(
            "not-readable", f"cannot be read ({error.strerror or error})", where=os.fspath(path)
        ) from error


def read_tensors(path: PathLike) -> dict[str, Any]:
    """Matrices by name, tokens in rows, from ``.npz``, ``.json`` (an object of lists) or ``.csv``.

    A CSV file holds one matrix after another: a line with the name alone, then its rows. Names other than
    :data:`~xlsx_attention.model.example.TENSORS` are an error where they hold a list or matrix; the ``tokens`` of a
    JSON file, and words and single numbers beside the matrices, are left to :func:`read_tokens` or out.
    """
    readers: dict[str, Callable[[bytes], dict[str, Any]]] = {".npz": _npz, ".json": _json, ".csv": _csv}
    reader = readers.get(Path(path).suffix.lower())
    where = os.fspath(path)
    if reader is None:
        raise UsageError("tensor-file", f"matrices come as {', '.join(readers)}", where=where)
    try:
        found = reader(_bytes(path))
    except (ValueError, KeyError, OSError, EOFError, RecursionError, zipfile.BadZipFile) as error:
        raise UsageError("tensor-file", f"holds no matrices that can be read ({error})", where=where) from error
    found.pop("tokens", None)
    for name, value in list(found.items()):
        if name in TENSORS:
            continue
        if isinstance(value, list | np.ndarray):
            raise UsageError("tensor-name", f"{name!r} is no matrix of a lesson; {', '.join(TENSORS)} are", where=where)
        del found[name]
    if not found:
        raise UsageError("tensor-file", f"holds none of {', '.join(TENSORS)}", where=where)
    return found


def read_tokens(path: PathLike) -> tuple[str, ...] | None:
    """The sentence beside the matrices of a JSON file (``"tokens": ["我", …]``); ``None`` where there is none."""
    if Path(path).suffix.lower() != ".json":
        return None
    try:
        tokens = _json(_bytes(path)).get("tokens")
    except (ValueError, RecursionError):
        return None
    return tuple(tokens) if isinstance(tokens, list) and all(isinstance(token, str) for token in tokens) else None


def _npz(data: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > 8 * MAX_NUMBERS:
            raise ValueError(f"more than {MAX_NUMBERS:,} numbers")
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:  # pickles can run code
        return {name: archive[name] for name in archive.files}


def _json(data: bytes) -> dict[str, Any]:
    found = json.loads(data.decode("utf-8-sig"))
    if not isinstance(found, dict):
        raise ValueError("no object of names and matrices")
    return found


def _csv(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    rows: list[list[float]] = []
    for number, line in enumerate(csv.reader(io.StringIO(data.decode("utf-8-sig"))), 1):
        cells = [cell.strip() for cell in line]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        if len(cells) == 1 and not _is_number(cells[0]):
            if cells[0] in found:
                raise ValueError(f"line {number}: {cells[0]} comes twice")
            rows = found[cells[0]] = []
        elif not found:
            raise ValueError(f"line {number}: numbers before the name of a matrix")
        else:
            if not all(map(_is_number, cells)):
                raise ValueError(f"line {number}: {next(c for c in cells if not _is_number(c))!r} is no number")
            if rows and len(rows[0]) != len(cells):
                raise ValueError(f"line {number}: {len(cells)} numbers, but {len(rows[0])} in the rows before")
            rows.append([float(cell) for cell in cells])
    return {name: matrix[0] if name[0] == "b" or name == "mask" else matrix for name, matrix in found.items() if matrix}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_spec(path: PathLike) -> dict[str, Any]:
    """The fields of an :class:`ExampleSpec` from a TOML file. ``tensors`` is a table, or a file beside this one."""
    where = os.fspath(path)
    try:
        found = tomllib.loads(_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError("spec-file", f"is no TOML ({error})", where=where) from error
    for name, value in found.items():
        fault = _misfit(name, value)
        if fault:
            raise UsageError("spec-field", fault, where=where)
    tensors = found.get("tensors")
    if isinstance(tensors, str):
        file = Path(path).parent / tensors
        found["tensors"] = read_tensors(file)
        tokens = read_tokens(file)
        if tokens is not None:
            found.setdefault("tokens", list(tokens))
    return found


def _misfit(name: str, value: Any) -> str:
    """What is wrong with a field of a spec file, or nothing."""
    if name not in FIELDS:
        return f"{name!r} is no field of a spec; {', '.join(FIELDS)} are"
    words = isinstance(value, str) or (isinstance(value, list) and all(isinstance(word, str) for word in value))
    if name in _LISTS and not words:
        return f"{name} must be a text or a list of texts"
    if name in _NUMBERS and (isinstance(value, bool) or not isinstance(value, int)):
        return f"{name} must be a whole number"
    if name in _FLAGS and not isinstance(value, bool):
        return f"{name} must be true or false"
    if name == "tensors" and not isinstance(value, str | dict):
        return "tensors must be a table of matrices or the name of a file"
    if name not in (*_LISTS, *_NUMBERS, *_FLAGS, "tensors") and not isinstance(value, str):
        return f"{name} must be a text"
    return ""


def spec_from(
    given: Mapping[str, Any], *, spec_file: PathLike | None = None, tensor_file: PathLike | None = None
) -> ExampleSpec:
    """A spec out of a TOML file, a file of matrices, and ``given`` fields, of which the later go before the earlier.

    Fields of ``given`` that are ``None`` or ``()`` were not given. Raises :class:`UsageError` for what does not fit.
    """
    found: dict[str, Any] = dict(read_spec(spec_file)) if spec_file is not None else {}
    if tensor_file is not None:
        found["tensors"] = read_tensors(tensor_file)
        tokens = read_tokens(tensor_file)
        if tokens is not None:
            found["tokens"] = tokens
    for name, value in given.items():
        if name not in FIELDS:
            raise UsageError("spec-field", f"{name!r} is no field of a spec; {', '.join(FIELDS)} are")
        if value is not None and value != ():
            found[name] = value
    try:
        return ExampleSpec(**found)
    except ValueError as error:  # rows of unequal length
        raise UsageError("tensor-shape", f"a matrix is no rectangle of numbers ({error})") from error
