"""Excel worksheets of self-attention: verify, compare, explain, generate and grade them with NumPy as the reference."""

__version__ = "0.1.0"
