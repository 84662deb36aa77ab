"""A tournament: its journal, its state, who directs it, and what is made of its results."""
