"""The commands. Each one reads its options, calls the pipeline or the batch, and hands the report to a renderer."""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module

import click

from xlsx_attention.cli.console import complain, prepare
from xlsx_attention.errors import XlsxAttentionError
from xlsx_attention.model.recursion import RECURSION

#: Command → (module, what it is for). Modules load when their command runs, so that help stays quick.
COMMANDS = {
    "verify": ("xlsx_attention.cli.verify", "Verify workbooks: verdicts and findings on the terminal."),
    "compare": ("xlsx_attention.cli.compare", "Write a formula-annotated comparison workbook."),
    "explain": ("xlsx_attention.cli.explain", "The sheet as NumPy steps, or one cell's derivation."),
    "generate": ("xlsx_attention.cli.generate", "Write a new worked example with live formulas."),
    "scaling": ("xlsx_attention.cli.scaling", "The experiment behind the division by √d."),
    "batch": ("xlsx_attention.cli.batch", "Verify or grade many workbooks, with reports in a folder."),
    "diff": ("xlsx_attention.cli.diff", "What changed between two workbooks, and what follows from what."),
}


#: The disk is full, a file is as large as it may be, or the quota is used up.
_FULL = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="xlsx_attention", prog_name="xlsx-attention", message="%(prog)s %(version)s")
def cli() -> None:
    """Recompute self-attention workbooks with NumPy and name each cell that diverges.

    Exit codes: 0 all agrees, 1 something diverges, 2 a file could not be read or the call is wrong; batch also has
    4 where some files could not be judged, and 130 when interrupted.
    """


def run() -> None:
    """Run the command line; errors for people are one line on stderr and exit code 2."""
    prepare()
    # Formulas are trees, and walks over them recurse as deep as the parser lets them be nested.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    try:
        try:
            cli.main(standalone_mode=False)
        except SystemExit:
            if type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):  # its name is not public in every click
                # With an unbuffered stream click is the first to see that the pipe is closed, and ends with 1, which
                # here says that something diverges.
                raise BrokenPipeError from None
            raise
        finally:
            sys.stdout.flush()  # here, where what goes wrong can be told
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.Abort:
        complain("interrupted")
        sys.exit(130)
    except click.ClickException as error:
        hint = (
            f" (see xlsx-attention {error.ctx.info_name} --help)"
            if isinstance(error, click.UsageError) and error.ctx
            else ""
        )
        complain(error.format_message() + hint)
        sys.exit(2)
    except XlsxAttentionError as error:
        complain(str(error))
        sys.exit(2)
    except BrokenPipeError:
        # The reader went away (| head): nothing more to say.
        _drop_output()
        sys.exit(141)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        _drop_output()
        complain(f"the output cannot be written ({error.strerror}); make room and run it again")
        sys.exit(2)


#: The standard output's descriptor, whatever stands before it.
_OUTPUT = 1


def _drop_output() -> None:
    """What is still to be written on the standard output goes nowhere, so that the exit does not try it once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), _OUTPUT)
