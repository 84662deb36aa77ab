"""Bots of our own that are no entrants. Each is a program that speaks the wire like any other."""
