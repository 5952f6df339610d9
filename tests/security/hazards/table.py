"""The table, section by section."""

from __future__ import annotations

from tests.security.hazards import container, extent, formulas, never, values
from tests.security.hazards.outcome import Hazard

HAZARDS: list[Hazard] = [
    *container.HAZARDS,
    *extent.HAZARDS,
    *values.HAZARDS,
    *formulas.HAZARDS,
    *never.HAZARDS,
]
