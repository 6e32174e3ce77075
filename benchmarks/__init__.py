"""What speed and memory cost: measured by hand, quoted in docs/benchmarks.md, never a test."""
