"""Tests of the wikisem package."""
