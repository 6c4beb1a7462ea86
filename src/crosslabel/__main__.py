"""`python -m crosslabel` is the command `crosslabel`."""

from crosslabel.app.entry import main

if __name__ == "__main__":
    main()
