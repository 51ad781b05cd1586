"""Consensus annotation: what several annotators say of an item, what is settled, and what people decide."""
