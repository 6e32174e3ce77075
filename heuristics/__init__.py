"""The filters of the method: pure functions that keep or reject, and say why."""
