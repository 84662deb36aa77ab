"""An arena for card-playing bots: pure rules below, processes above them, the command line on top."""

__version__ = "0.1.0"
