"""Tests of the Wikipedia room."""
