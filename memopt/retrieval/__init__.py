"""The agent's side of the table: a user's memories ranked for a question, to search and to measure what a plan does to recall."""

from memopt.retrieval.index import Hit, Index
from memopt.retrieval.ranking import Ranking

__all__ = ["Hit", "Index", "Ranking"]
