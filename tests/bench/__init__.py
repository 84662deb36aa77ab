"""Benchmarks. They print and assert nothing: `python -m tests.bench`, on a quiet machine."""
