"""``python -m xlsx_attention``"""

from xlsx_attention.cli import main

main()
