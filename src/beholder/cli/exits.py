"""The exit codes, in one place (docs/cli.md)."""

DONE = 0
BROKEN = 1
USAGE = 2
NO_SCORE = 3
INCOMPLETE = 4
INTERRUPTED = 130
