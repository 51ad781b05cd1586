"""Controlled experiments: the same items under different conditions, and what the difference supports."""
