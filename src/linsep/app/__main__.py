"""`python -m linsep.app` is the command line."""

from linsep.app.cli import main

if __name__ == "__main__":
    main()
