"""The games for machine learning: views as numbers, and environments. Knows no processes."""
