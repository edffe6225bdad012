"""Formulas as formulaic reads them: their tables, their terms, and what their expressions calculate."""
