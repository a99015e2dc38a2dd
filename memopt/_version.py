"""The version, alone so that `memopt --version` imports nothing else."""

__version__ = "0.1.0"
