"""The games for those who learn to play them: views as numbers, and as a PettingZoo environment."""
