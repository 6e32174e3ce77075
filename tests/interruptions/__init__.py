"""Runs that are interrupted in every way that a run can be, and resumed."""
