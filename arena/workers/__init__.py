"""Processes that play matches."""
