"""M3R-Bench: joint metaphor prediction with evidence (arXiv 2608.05817)."""
