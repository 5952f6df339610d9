"""Steps that cannot be held to their stored values, and all that follows from them."""

from __future__ import annotations

from xlsx_attention.model.plan import Plan


def special_steps(plan: Plan) -> dict[int, str]:
    """Steps that are judged otherwise; what depends on them too."""
    special: dict[int, str] = {}
    for step in plan.steps:
        if step.volatile:
            special[step.index] = "volatile"
        elif step.external:
            special[step.index] = "external"
    volatile = {index for index, kind in special.items() if kind == "volatile"}
    for index in downstream(plan, volatile) - volatile:
        special.setdefault(index, "depends-on-volatile")
    return special


def downstream(plan: Plan, sources: set[int]) -> set[int]:
    """``sources`` and every step that reads one of them, itself or through others."""
    if not sources:
        return set()
    readers = plan.readers()
    seen, stack = set(sources), list(sources)
    while stack:
        for reader in readers.get(stack.pop(), ()):
            if reader not in seen:
                seen.add(reader)
                stack.append(reader)
    return seen
