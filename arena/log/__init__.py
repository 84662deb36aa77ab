"""What happened in a match: logs written, read, retraced by the rules, and shown as transcripts and
scenes."""
