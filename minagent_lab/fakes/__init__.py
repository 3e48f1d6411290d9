"""Models that play a script."""
