"""Turns words on a command line into bots that can be started."""
