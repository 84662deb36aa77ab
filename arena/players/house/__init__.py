"""Our own bots, each a program that speaks the wire. Knows the rules and the protocol; no matches."""
