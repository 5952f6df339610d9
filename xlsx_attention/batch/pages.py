"""Self-contained pages: templates filled with autoescape, style and script inline and named by their hashes in the
policy.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup


@cache
def asset(name: str) -> str:
    """A file of the templates folder."""
    return (files("xlsx_attention.batch") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    loader = jinja2.FunctionLoader(asset)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["number"] = number
    environment.filters["visible"] = shown
    return environment


def number(value: object) -> str:
    """As a person reads it: whole numbers whole, others with up to 10 digits; texts as they are."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return f"{value:.10g}"
    return shown(str(value))


def shown(text: str) -> str:
    """Direction marks and control characters made visible: a name must not turn the line around."""
    from xlsx_attention.reporting.safe import visible

    return visible(text, 400)


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def render(template: str, *, style: str, script: str | None = None, **values: Any) -> str:
    """A page that loads nothing and runs nothing but its own script: the policy names both by their hashes."""
    css = asset(style)
    js = "" if script is None else asset(script)
    policy = f"default-src 'none'; style-src {_hash(css)}"
    policy += f"; script-src {_hash(js)}" if js else ""
    policy += "; base-uri 'none'; form-action 'none'"
    # Our own text, not a file's: it must stand in the page byte for byte, or its hash would not fit.
    page = _environment().get_template(template)
    return page.render(css=Markup(css), js=Markup(js), policy=Markup(policy), **values) + "\n"
