"""Who saved the file, and how many digits its numbers carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from xlsx_attention.model.grid import Provenance
from xlsx_attention.reading.package import Package
from xlsx_attention.reading.xml_events import Attributes, Handlers

_EXCEL_DIGITS = 17
#: Significant digits that an application writes for a number that has no end, as measured on files of theirs.
_DIGITS = {"LibreOffice": 15, "Google Sheets": 10}
#: Google Sheets writes no document properties, but declares these two namespaces of Excel for Mac in the workbook part.
_GOOGLE = {"http://schemas.microsoft.com/office/mac/excel/2008/main", "urn:schemas-microsoft-com:mac:vml"}
#: A number shorter than this may well be exact, so it says nothing of where numbers are cut off.
_LONG = 9
_ENOUGH = 8


def read_application(package: Package, part: str | None) -> tuple[str, str]:
    """Application and version from the extended properties; ``("", "")`` without them."""
    found = {"Application": "", "AppVersion": ""}
    if part is None:
        return "", ""

    def keep(name: str) -> None:
        handlers.end[name] = lambda text: found.__setitem__(name, text.strip()[:100])

    handlers = Handlers()
    for name in found:
        keep(name)
    package.parse(part, handlers)
    name, slash, rest = found["Application"].partition("/")
    if slash and rest[:1].isdigit():  # LibreOffice/7.4.7.2$Linux_X86_64 ...
        return name, rest.partition("$")[0].partition(" ")[0]
    return found["Application"], found["AppVersion"]


def provenance(
    application: str, version: str, file_version: Attributes, namespaces: set[str], numbers: Iterable[str]
) -> Provenance:
    """Put together what the properties, the workbook part and the numbers themselves tell."""
    if not application and namespaces >= _GOOGLE:
        application = "Google Sheets"
    elif not application and file_version.get("appName") == "xl":
        application, version = "Microsoft Excel", file_version.get("lastEdited", "")
    return Provenance(application, version, measured_digits(numbers, _DIGITS.get(application, _EXCEL_DIGITS)))


def significant_digits(number: str) -> int:
    """``'-0.00120'`` → 2: digits from the first to the last that is not zero."""
    mantissa = number.lower().partition("e")[0].lstrip("+-")
    return len(mantissa.replace(".", "").strip("0"))


def measured_digits(numbers: Iterable[str], default: int) -> int:
    """Significant digits that the numbers stored under formulas carry, at most 17.

    More digits than the application is known for are believed at once: they are there. Fewer are believed only where
    long numbers pile up at one length, as they do when they are cut off there (nine in ten reach it); a sheet of
    short or exact numbers keeps the application's default.
    """
    lengths = Counter(significant_digits(number) for number in numbers)
    if not lengths:
        return default
    longest = max(lengths)
    if longest >= default:
        return min(longest, _EXCEL_DIGITS)
    long = sum(count for length, count in lengths.items() if length >= _LONG)
    if longest >= _LONG and lengths[longest] >= _ENOUGH and 10 * lengths[longest] >= 6 * long:
        return longest
    return default
