"""Renderers. Each reads the report object and nothing else."""
