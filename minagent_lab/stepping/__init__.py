"""Runs that wait."""
