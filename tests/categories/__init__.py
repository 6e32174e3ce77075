"""Tests of the categories room."""
