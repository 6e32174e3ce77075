"""Tests of the dumps room."""
