"""More machines: one job a user, in the Postgres of the memories, worked off by as many processes as wanted.

The engine is procrastinate (extra ``queue``); its tables and memopt's few beside them lie in memopt's own schema. What a job
does is what a run over many users does for one of them (``fleet.Fleet.auser``): the claim, the note on what was seen, the guards,
one transaction with its journal entry. So a job that is done twice is done once, whatever happens to workers between.

- ``recipe``: what is to be done, as it is written down for workers. Pure.
- ``schema``: the tables, and whether they are there and fit.
- ``board``: putting jobs in, looking at them, putting failed ones back, dropping old ones.
- ``engine``: procrastinate, with a note on how each job ended.
- ``due``: which users are to be enqueued; ``equip``: the run that a recipe describes, the same on both sides.
- ``worker``: takes jobs until it is told to end.
"""

from __future__ import annotations

from memopt.queue.board import Board, Deferred, Failure, QueueFigures, WorkerFigures, open_board
from memopt.queue.due import Due
from memopt.queue.equip import Equipment, fleet_of
from memopt.queue.recipe import Recipe
from memopt.queue.worker import Told, Worker, WorkSummary

__all__ = [
    "Board",
    "Deferred",
    "Due",
    "Equipment",
    "Failure",
    "QueueFigures",
    "Recipe",
    "Told",
    "WorkSummary",
    "Worker",
    "WorkerFigures",
    "fleet_of",
    "open_board",
]
