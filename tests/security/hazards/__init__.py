"""The table of hazards: every hostile file that the tests build, with the exact outcome that it must have."""

from tests.security.hazards.table import HAZARDS, Hazard

__all__ = ["HAZARDS", "Hazard"]
