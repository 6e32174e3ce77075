"""Tests of the datasets room."""
