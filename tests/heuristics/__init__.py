"""Tests of the heuristics package."""
