"""How each file of a batch is judged. The settings are part of a result's key: other settings, another result."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from xlsx_attention import __version__
from xlsx_attention.batch.opening import digest_of, read_input
from xlsx_attention.errors import UnreadableFile, UsageError
from xlsx_attention.model.budget import GIB, Budgets

#: Raised when what a journal line holds changes.
FORMAT = 2


@dataclass(frozen=True, slots=True)
class Settings:
    """``timeout`` in seconds and ``memory`` in bytes hold for each file; 0 is no limit.

    ``key`` is the address of the workbook that submissions are graded against, ``key_digest`` the SHA-256 of its
    content, ``rubric`` the text of the rubric. ``language`` is ``en`` or ``zh``.
    """

    rtol: float | None = None
    sheets: tuple[str, ...] | None = None
    timeout: float = 20.0
    memory: int = 2 * GIB
    recognise: bool = True
    language: str = "en"
    key: str = ""
    key_digest: str = ""
    rubric: str = ""
    budgets: Budgets = dataclasses.field(default_factory=Budgets.batch)

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        data: dict[str, Any] = json.loads(text)
        data["budgets"] = Budgets(**data["budgets"])
        data["sheets"] = None if data["sheets"] is None else tuple(data["sheets"])
        return cls(**data)

    def read_key(self) -> bytes:
        """The key's content, ``b""`` without one; it must still be what the settings were made from."""
        return read_input(self.key, Budgets(), self.key_digest) if self.key else b""

    def result_key(self, digest: str) -> str:
        """The name of a result: content, version of the tool, settings. Where the key lies does not matter, what
        it holds does.
        """
        return hashlib.sha256(f"{FORMAT}\n{__version__}\n{digest}\n{_without_place(self)}".encode()).hexdigest()


@lru_cache(maxsize=8)
def _without_place(settings: Settings) -> str:
    return dataclasses.replace(settings, key="").to_json()


def make_settings(
    *,
    rtol: float | None = None,
    sheets: tuple[str, ...] | None = None,
    timeout: float = 20.0,
    memory: int = 2 * GIB,
    language: str = "en",
    key: str | None = None,
    rubric: str | None = None,
) -> Settings:
    """Settings from what a caller has at hand: ``key`` and ``rubric`` are paths, which are read and checked here.

    Raises :class:`~xlsx_attention.errors.XlsxAttentionError` where either cannot be used.
    """
    settings = Settings(rtol=rtol, sheets=sheets, timeout=timeout, memory=memory, language=language)
    if key is None:
        return settings
    budgets = Budgets()
    try:
        digest = digest_of(key, budgets)
    except UnreadableFile as error:
        raise UsageError("bad-key", str(error), where=key) from None
    text = ""
    if rubric is not None:
        try:
            text = Path(rubric).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError("bad-rubric", f"cannot be read ({error})", where=rubric) from None
    return dataclasses.replace(settings, key=os.path.abspath(key), key_digest=digest, rubric=text)
