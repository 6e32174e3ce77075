"""Inputs of every kind, damaged in seeded ways: each command ends, with an account of all records or one message."""
