"""The course: exercises that grade themselves, hints, solutions, quizzes, and what a learner has solved.

>>> from minagent_lab.course import check, hint, quiz, solution
"""

from minagent_lab.course.desk import check, hint, predict, progress, quiz, solution
from minagent_lab.course.pytest_runs import run_pytest

__all__ = ["check", "hint", "predict", "progress", "quiz", "run_pytest", "solution"]
