"""The options that raise and lower what a file may cost, the same for every command that reads workbooks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from xlsx_attention.model.budget import Budgets, limits

#: Before a limit's name where a command takes it: ``--max-sheets`` and ``--sheet`` are two things.
_PREFIX = "limit_"

Command = TypeVar("Command", bound=Callable[..., Any])

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_COUNT = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


class Amount(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``2000``, ``64M`` or ``1.5G``: powers of 1024 for bytes, of 1000 for all else."""

    name = "number"

    def __init__(self, unit: str) -> None:
        self.units = _BYTES if unit == "bytes" else _COUNT

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = _NUMBER.fullmatch(str(value).strip().replace(",", "").replace("_", ""))
        amount = int(float(match[1]) * self.units[match[2].upper()]) if match else 0
        if amount < 1:
            self.fail(f"{value!r} is no number above 0; write it like 2000, 64M or 2G", param, ctx)
        return amount


def _show(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(table())
        context.exit()


def table() -> str:
    """Every limit: its option, its default, its value for files from anyone, and what it limits."""
    rows = [("option", "default", "untrusted", "limits")]
    rows += [
        (option, f"{own:,}", f"{strict:,}", f"{what}, in {unit}" if unit else what)
        for _, own, strict, option, what, unit in limits()
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}" for row in rows)


def limit_options(*, untrusted: bool) -> Callable[[Command], Command]:
    """Adds the options; the command takes them as ``**given`` for :func:`chosen`.

    ``untrusted``: whether the command always works with the strict limits (a batch), so that it needs no option for it.
    """

    def decorate(command: Command) -> Command:
        for name, _, _, option, what, unit in reversed(list(limits())):
            command = click.option(option, _PREFIX + name, type=Amount(unit), hidden=True, help=f"Limit: {what}.")(
                command
            )
        command = click.option(
            "--limits", is_flag=True, is_eager=True, expose_value=False, callback=_show,
            help="Show what a file may cost: every limit, and the option --max-… that changes it.",
        )(command)  # fmt: skip
        if not untrusted:
            command = click.option(
                "--untrusted", is_flag=True, help="Strict limits, as in a batch, for a file from anyone."
            )(command)
        return command

    return decorate


def chosen(given: dict[str, Any], *, untrusted: bool) -> Budgets:
    """The budgets of a call: the strict or the wide ones, with what the options say instead."""
    from dataclasses import replace

    base = Budgets.batch() if untrusted else Budgets()
    return replace(
        base, **{name: given[_PREFIX + name] for name, *_ in limits() if given.get(_PREFIX + name) is not None}
    )
