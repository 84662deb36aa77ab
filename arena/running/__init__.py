"""A tournament: its journal, its state, the director that runs it, and what is computed from its results."""
