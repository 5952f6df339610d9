"""Excel's functions in NumPy: for each a row (name, parameters with kinds, style) beside a plain body.

:mod:`registry` says what a row is and how bodies are called; :mod:`coercion` turns values into what a parameter asks
for; :mod:`operators` are ``+ - * / ^ & = <`` and the like. The other modules are tables of functions by Excel's
categories, and what they share.
"""
