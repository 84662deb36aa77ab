"""Our own bots, which are no entrants. Each is a program that speaks the wire like any other bot. Knows the
rules and the protocol; nothing of matches or processes."""
