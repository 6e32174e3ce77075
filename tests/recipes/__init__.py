"""Tests of the recipes room."""
