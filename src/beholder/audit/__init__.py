"""Checks of what others have published, and of the data that a figure rests on."""
