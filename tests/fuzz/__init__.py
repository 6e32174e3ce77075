"""Seeded mutations for the decoder in C, compiled with the sanitizers: run by hand and by .ci/run, never a test."""
