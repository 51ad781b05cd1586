"""Answers out of text. Pure functions: text in, `Extraction` out, never a guess, never an exception.

`strict` takes exactly the format that the prompt asked for; `lenient` takes what a careful reader would. Whatever
`strict` accepts, `lenient` reads the same way. Each module names its format and its assumptions in its docstrings.
"""
