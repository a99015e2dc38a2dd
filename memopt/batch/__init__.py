"""A run over many users whose model is asked through files, as batch services and vLLM's batch runner take them.

``Export`` runs the strategies up to the first requests of each user and writes those to a file. ``Import`` runs them again
with the answers that came back, as far as those reach: a user whose answers are all there gets a plan, the next requests of one
who needs another round go into the next file. Strategies need not know: they only yield requests (``models.batch.Conversation``).
"""

from __future__ import annotations

from memopt.batch.files import LONGEST_LINE, RequestFile, RequestFiles, Results, take_results
from memopt.batch.made import Batch
from memopt.batch.runs import AGAIN, AnswerMissing, Export, Import, NextRound, read_again

__all__ = [
    "AGAIN",
    "LONGEST_LINE",
    "AnswerMissing",
    "Batch",
    "Export",
    "Import",
    "NextRound",
    "RequestFile",
    "RequestFiles",
    "Results",
    "read_again",
    "take_results",
]
