"""Running a plan: whole blocks with NumPy, and a slow cell-by-cell runner that serves as its oracle."""
