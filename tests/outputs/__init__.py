"""Tests of the outputs package."""
