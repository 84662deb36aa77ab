"""From words on a command line to bots that can be started."""
