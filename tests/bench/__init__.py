"""Benchmarks. They print and assert nothing: `python -m tests.bench.referee`."""
