"""David & Goliath: rules.py, which the referee plays by; advice.py, what people who know the game would do;
batch.py, the rules for many deals in step."""
