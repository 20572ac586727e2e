"""`python -m doiscan` is the command."""

from ._command import main

main()
