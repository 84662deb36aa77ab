"""The games for machine learning: views as numbers, and PettingZoo environments. Knows no processes and no
tournaments."""
