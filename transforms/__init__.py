"""Beam wiring of the stages; what is computed lives on the floors below."""
