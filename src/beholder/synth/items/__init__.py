"""Item makers, one file a family: each holds `make(seed, level, sources)` and says what its levels mean."""
