"""Figures that a text prints for a worked example, each with the decimals printed."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from xlsx_attention.errors import UsageError


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one row of one step: ``values[i]`` is printed for column ``columns[i]``."""

    step: str
    row: int
    columns: tuple[int, ...]
    values: tuple[float, ...]
    decimals: int


@dataclass(frozen=True, slots=True)
class Published:
    """All printed figures of an example, and the shapes of its steps."""

    figures: tuple[Figures, ...]
    shapes: dict[str, tuple[int, int]]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Published:
        """From JSON: ``{"shapes": {"Q": [5, 8]}, "figures": [{"step", "row", "columns", "values", "decimals"}]}``.

        Raises :class:`~xlsx_attention.errors.UsageError` naming the file and what is wrong in it.
        """
        name = os.fspath(path)
        try:
            with open(path, encoding="utf-8") as stream:
                data = json.load(stream)
            figures = tuple(
                Figures(
                    str(item["step"]),
                    int(item["row"]),
                    tuple(int(c) for c in item["columns"]),
                    tuple(float(v) for v in item["values"]),
                    int(item["decimals"]),
                )
                for item in data["figures"]
            )
            shapes = {str(step): (int(h), int(w)) for step, (h, w) in data.get("shapes", {}).items()}
        except OSError as error:
            raise UsageError("published", f"cannot read the published figures: {error.strerror}", where=name) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError("published", f"not a file of published figures ({error!r})", where=name) from error
        for item in figures:
            if len(item.columns) != len(item.values):
                raise UsageError(
                    "published",
                    f"{item.step} row {item.row}: {len(item.columns)} columns but {len(item.values)} values",
                    where=name,
                )
        return cls(figures, shapes)
