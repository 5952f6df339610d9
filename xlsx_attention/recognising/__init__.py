"""What the steps of a workbook are in attention: from their structure first, from their numbers second."""

from __future__ import annotations

from xlsx_attention.recognising.explain import Line, explain_program, program_text
from xlsx_attention.recognising.recognise import recognise
from xlsx_attention.recognising.wording import Wording, math_text, numpy_text

__all__ = ["Line", "Wording", "explain_program", "math_text", "numpy_text", "program_text", "recognise"]
