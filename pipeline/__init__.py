"""Options, assembly and the command line: the top floor, and the only one that parses arguments."""
