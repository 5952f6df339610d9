"""Values against the file: which cells agree, where differences begin, what they spoil, and why."""
