"""The one way through the stages: file → grid → blocks → plan → values → verdicts → report."""

from xlsx_attention.pipeline.files import compare, tool_name, verify, verify_file, verify_files
from xlsx_attention.pipeline.nouns import Options, Understood
from xlsx_attention.pipeline.stages import parse_names, understand, verify_grid

__all__ = [
    "Options",
    "Understood",
    "compare",
    "parse_names",
    "tool_name",
    "understand",
    "verify",
    "verify_file",
    "verify_files",
    "verify_grid",
]
