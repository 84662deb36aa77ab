"""Positions, stories and steps: what every screen and page shows."""
