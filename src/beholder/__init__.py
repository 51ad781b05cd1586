"""Beholder measures whether a vision-language model reasons from what it sees.

The door is small on purpose: `import beholder` loads nothing heavy. The vocabulary lives in
`beholder.sample`, `beholder.score` and `beholder.errors`; a benchmark is fetched by name with
`beholder.benchmarks.benchmark("tfq")`.
"""

__version__ = "0.1.0"
