"""Anything a user has, turned into rows."""
