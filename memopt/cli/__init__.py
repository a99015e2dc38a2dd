"""The command line: one file a command group, ``run`` around them all, ``render`` for people and ``documents`` for programs."""
