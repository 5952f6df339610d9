"""From blocks to an ordered plan: names and sheets resolved, what reads what, cycles, and cells unlike their block."""
