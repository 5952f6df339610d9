"""Many workbooks: gathering, supervised workers, a journal to resume from, grading against a key, reports."""

from __future__ import annotations

from xlsx_attention.batch.inputs import Gathered, InputFile, Skipped, gather
from xlsx_attention.batch.run import BatchResult, run_batch
from xlsx_attention.batch.settings import Settings

__all__ = ["BatchResult", "Gathered", "InputFile", "Settings", "Skipped", "gather", "run_batch"]
