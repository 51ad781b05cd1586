"""`python -m beholder`."""

from beholder.cli.main import run

if __name__ == "__main__":
    run()
