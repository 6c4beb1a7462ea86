"""The commands of `crosslabel`, each a plain Python function in a file of its own.

A command takes plain values and returns an object; it prints nothing. `crosslabel.app.entry` parses
the words and prints the object.
"""
