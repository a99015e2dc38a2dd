"""Runs over many users: who is chosen, in which order, and one plan a user, made, kept or written. Also on an event loop.

What holds for one user holds for each of many: one plan, one transaction, one journal entry. A user's failure is told and the
others go on. A run may be ended at any point, by a limit, by Ctrl-C or by ``kill -9``; the next one does what is left, because
a note of what was done is written in the same transaction (``MemoryStore.seen``), and a user whose memories are still what
a run of the same ``recipe_of`` left is passed over without asking anybody.

Memory does not grow with the number of users, nor with what they have: lists of users are kept in temporary files.
"""

from __future__ import annotations

from memopt.fleet.breaker import MODEL_FAILURES, STORE_FAILURES
from memopt.fleet.choosing import Candidate, Selection, Shard, figures_of
from memopt.fleet.kept import FolderRun
from memopt.fleet.limits import Budget
from memopt.fleet.outcomes import Outcome, Reason, Status, Summary, UserBusy, add_reason, error_dict, with_last
from memopt.fleet.recipe import recipe_of
from memopt.fleet.run import Fleet
from memopt.fleet.work import Ready, Started, Terms, Work

__all__ = [
    "MODEL_FAILURES",
    "STORE_FAILURES",
    "Budget",
    "Candidate",
    "Fleet",
    "FolderRun",
    "Outcome",
    "Ready",
    "Reason",
    "Selection",
    "Shard",
    "Started",
    "Status",
    "Summary",
    "Terms",
    "UserBusy",
    "Work",
    "add_reason",
    "error_dict",
    "figures_of",
    "recipe_of",
    "with_last",
]
