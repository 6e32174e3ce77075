"""Tests of the class graph."""
