"""What holds for every exercise of every chapter."""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from minagent_lab.course import desk
from minagent_lab.course.exercise import mutated, sentence
from minagent_lab.course.report import report_on

EXERCISES = desk.exercises()
IDS = [exercise.id for exercise in EXERCISES]


def failing(exercise, code):
    report = report_on(exercise, exercise.made_by(code))
    return [line.sentence for line in report.lines if not line.passed]


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_the_starter_runs_and_does_not_pass(exercise):
    assert failing(exercise, exercise.starter)


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_the_solution_passes_every_test(exercise):
    report = report_on(exercise, exercise.made_by(exercise.solution))
    assert report.solved, report.text()


MUTANTS = [(exercise, mutant) for exercise in EXERCISES for mutant in exercise.mutants]


@pytest.mark.parametrize(("exercise", "mutant"), MUTANTS, ids=[f"{e.id}: {m.name}" for e, m in MUTANTS])
def test_each_mutant_is_caught_by_the_test_that_is_there_for_it(exercise, mutant):
    named = next(test for test in exercise.tests if test.__name__ == mutant.caught_by)
    assert sentence(named) in failing(exercise, mutated(exercise.solution, mutant))
    assert mutant.why.endswith(".")


WRONG = [(exercise, wrong) for exercise in EXERCISES for wrong in exercise.wrong_tests]


@pytest.mark.parametrize(("exercise", "wrong"), WRONG, ids=[f"{e.id}: {w.name}" for e, w in WRONG])
def test_each_wrong_test_leaves_the_line_that_is_there_for_it(exercise, wrong):
    assert wrong.caught_by in failing(exercise, wrong.code)


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_an_exercise_has_what_a_learner_needs(exercise):
    assert len(exercise.hints) >= 2
    assert len(exercise.tests) >= 3
    assert exercise.mutants or exercise.wrong_tests
    assert all(ast.parse(code) for code in (exercise.starter, exercise.solution))
    names = [sentence(test) for test in exercise.tests]
    assert len(set(names)) == len(names)


def test_numbers_are_used_once_and_stand_in_their_chapter():
    assert len(set(IDS)) == len(IDS)
    for number in desk.chapters():
        held = desk.chapter(number)
        assert [e.id for e in held.EXERCISES] == [f"{int(number)}.{n}" for n in range(1, len(held.EXERCISES) + 1)]
        assert len(held.EXERCISES) >= 3
        assert held.QUIZ.id == number
        assert len(held.QUIZ.questions) >= 3


CHAPTERS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
WITH_COURSE = [path for path in CHAPTERS if path.name[:2] in desk.chapters()]


@pytest.mark.parametrize("path", WITH_COURSE, ids=lambda path: path.stem)
def test_the_starters_in_the_notebook_are_those_of_the_course(path):
    cells = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    held = desk.chapter(path.name[:2])
    for exercise in held.EXERCISES:
        line = f'check("{exercise.id}", {exercise.thing})'
        holding = [cell for cell in cells if line in cell]
        assert len(holding) == 1, f"{exercise.id}: {line} stands in {len(holding)} cells"
        assert exercise.starter.strip() in holding[0], f"{exercise.id}: the starter in the notebook is another one"
    assert f'quiz("{path.name[:2]}")' in "\n".join(cells)


@pytest.mark.parametrize("path", WITH_COURSE, ids=lambda path: path.stem)
def test_the_notebook_asks_for_each_prediction_once_and_in_order(path):
    number = path.name[:2]
    sources = "\n".join(cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code")
    asked = [int(which) for which in re.findall(rf'predict\("{number}", (\d+)\)', sources)]
    assert asked == list(range(1, len(desk.chapter(number).PREDICTIONS) + 1))
    assert asked


def test_no_letter_is_right_more_often_than_half_of_the_time():
    questions = [asked for number in desk.chapters() for asked in desk.chapter(number).PREDICTIONS]
    right = [letter for asked in questions for letter, choice in asked.lettered() if choice.right]
    assert max(map(right.count, "abc")) <= len(right) / 2 + 1


@pytest.mark.parametrize("number", desk.chapters())
def test_the_longest_choice_is_right_in_at_most_half_of_the_questions_of_a_quiz(number):
    questions = desk.chapter(number).QUIZ.questions
    longest = [max(asked.choices, key=lambda choice: (len(choice.text), not choice.right)) for asked in questions]
    assert sum(choice.right for choice in longest) <= len(questions) / 2


def texts_of(number):
    held = desk.chapter(number)
    for exercise in held.EXERCISES:
        yield from (exercise.title, exercise.wants, *exercise.hints, *map(sentence, exercise.tests))
    for asked in (*held.QUIZ.questions, *held.PREDICTIONS):
        yield asked.text
        for choice in asked.choices:
            yield from (choice.text, choice.why)


EMPHASIS = re.compile(r"(?<![\w*])\*[^\s*(,)][^*]*\*")


@pytest.mark.parametrize("number", desk.chapters())
def test_texts_use_backticks_for_code_and_no_other_marks(number):
    for text in texts_of(number):
        assert text.count("`") % 2 == 0, text
        assert not EMPHASIS.search(re.sub(r"`[^`\n]+`", "", text)), text
