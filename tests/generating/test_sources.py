"""Specs and matrices out of files, and what is said of files that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from xlsx_attention.errors import UsageError
from xlsx_attention.generating import read_spec, read_tensors, spec_from
from xlsx_attention.generating.workbooks import lessons
from xlsx_attention.model.example import ExampleSpec

X = [[1.0, 0.5], [0.25, -2.0]]
B = [0.5, 0.25]


def write(folder: Path, name: str) -> Path:
    path = folder / name
    if name.endswith(".npz"):
        np.savez(path, X=np.array(X), b_q=np.array(B))
    elif name.endswith(".json"):
        path.write_text(
            json.dumps({"about": "a test", "S": 2, "tokens": ["我", "爱"], "X": X, "b_q": B}), encoding="utf-8"
        )
    else:
        path.write_text("X\n1,0.5\n0.25,-2,\n\nb_q\n0.5,0.25\n", encoding="utf-8-sig")
    return path


@pytest.mark.parametrize("name", ["a.npz", "a.json", "a.csv"])
def test_matrices_come_from_three_kinds_of_files(tmp_path: Path, name: str) -> None:
    found = read_tensors(write(tmp_path, name))
    assert {key: np.asarray(value).tolist() for key, value in found.items()} == {"X": X, "b_q": B}
    spec = spec_from({"tokens": "a b"}, tensor_file=tmp_path / name)
    [drawn] = lessons(spec)
    assert drawn.values["X"].tolist() == X
    assert drawn.values["b_q"].tolist() == [B]
    assert drawn.values["b_k"].shape == (1, 2)


def test_a_json_file_may_bring_its_sentence(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json")
    assert spec_from({}, tensor_file=path).tokens == ("我", "爱")
    assert spec_from({"tokens": "x y"}, tensor_file=path).tokens == ("x", "y")


def test_a_spec_comes_from_toml_and_the_call_goes_before_it(tmp_path: Path) -> None:
    write(tmp_path, "mine.json")
    path = tmp_path / "spec.toml"
    path.write_text('tokens = "a b"\nlayout = "columns"\nheads = 2\ntensors = "mine.json"\n', encoding="utf-8")
    spec = spec_from({"layout": None, "heads": 1, "blanks": ()}, spec_file=path)
    assert (spec.tokens, spec.layout, spec.heads) == (("a", "b"), "columns", 1)
    assert spec.blanks == ExampleSpec().blanks
    assert np.asarray(spec.tensors["X"]).tolist() == X
    assert read_spec(path)["heads"] == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.npz", b"no zip", "no matrices"),
        ("a.json", b"{", "no matrices"),
        ("a.json", b"[1]", "no object"),
        ("a.json", b'{"Y": [[1]]}', "'Y' is no matrix"),
        ("a.json", b'{"about": "x"}', "holds none of X"),
        ("a.csv", b"1,2\n", "line 1: numbers before the name"),
        ("a.csv", b"X\n1,2\n3\n", "line 3: 1 numbers, but 2"),
        ("a.csv", b"X\n1,b\n", "line 2: 'b' is no number"),
        ("a.csv", b"X\n1\nX\n2\n", "X comes twice"),
        ("a.txt", b"", r"\.npz, \.json, \.csv"),
    ],
)
def test_a_file_without_matrices_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message) as caught:
        read_tensors(path)
    assert str(caught.value).startswith(str(path))


def test_a_pickle_in_an_npz_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, X=np.array([{"a": 1}], dtype=object))
    with pytest.raises(UsageError, match="pickle"):
        read_tensors(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1", "'a' is no field"),
        ('heads = "2"', "whole number"),
        ("heads = true", "whole number"),
        ("bias = 1", "true or false"),
        ("tokens = [1]", "list of texts"),
        ("layout = 1", "must be a text"),
        ("tensors = 1", "name of a file"),
        ("= 1", "no TOML"),
        ('tensors = "absent.npz"', "cannot be read"),
    ],
)
def test_a_wrong_spec_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_spec(path)


def test_a_matrix_with_ragged_rows_is_refused() -> None:
    fields: dict[str, Any] = {"tensors": {"X": [[1, 2], [3]]}}
    with pytest.raises(UsageError, match="rectangle"):
        spec_from(fields)
    with pytest.raises(UsageError, match="'heigth' is no field"):
        spec_from({"heigth": 1})
