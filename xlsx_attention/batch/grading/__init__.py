"""Submissions held against a key, with errors carried forward."""
