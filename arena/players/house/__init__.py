"""Our own bots. Each is a program that speaks the wire like any other bot. Knows the rules and the protocol;
no matches and no processes."""
