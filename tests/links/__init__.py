"""Tests of the link scanner."""
