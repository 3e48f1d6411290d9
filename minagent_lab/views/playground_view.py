"""The playground on the screen: a run that one writes as text, and steps beside it.

The text is read while one types, and what is wrong with it stands at its line. The run is replaced only when one says
so: a run that changed under the fingers would lose the place where its reader stands.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from minagent_lab.errors import PlaybookError
from minagent_lab.results import exception_text
from minagent_lab.stepping.playbook import Playbook, Problem, Texts, read_playbook
from minagent_lab.stepping.playbook_text import code_of_playbook
from minagent_lab.views.closing import close_all
from minagent_lab.views.guard import Guard
from minagent_lab.views.html import escape
from minagent_lab.views.playground_desk import Desk
from minagent_lab.views.playground_words import BEFORE, Starts, html_playground, plain_playground
from minagent_lab.views.stepper_view import StepperView
from minagent_lab.views.words import count


class PlaygroundView(widgets.VBox):  # type: ignore[misc]
    """A playground: three texts, and the run of them.

    Parameters
    ----------
    texts
        What to begin with; an example, when left out.
    scale
        As for `step`.

    Attributes
    ----------
    problems : tuple of Problem
        What is wrong with the texts as they are now.
    playbook : Playbook or None
        What the run is of.
    stepper_view : StepperView or None
        The run.
    last_error : Exception or None
        What a button's handler could not do.
    """

    stepper_view: StepperView | None = None
    _made = False  # what could not be made is closed too, when it goes

    def __init__(self, texts: Texts | None = None, *, scale: float = 1.0) -> None:
        texts = None if texts is None else _plain_lines(texts)
        self.problems: tuple[Problem, ...] = ()
        self.playbook: Playbook | None = None
        self.last_error: Exception | None = None
        self._scale, self._ran, self._notice = scale, texts, ""
        self._lock, self._quiet = threading.RLock(), False
        self._starts = Starts(texts)
        self._make_parts()
        super().__init__([*self.desk.parts, Guard()])
        for name in ("lab-playground", "lab-guarded"):
            self.add_class(name)
        self._made = True
        self.choose(self.menu.value)

    # ---- what the buttons do

    @property
    def texts(self) -> Texts:
        """The texts as they stand in their areas."""
        return Texts(*(editor.value for editor in self.editors.values()))

    def run(self) -> None:
        """Replace the run by that of the texts, at the call that was shown. Where they cannot be run, say why."""
        playbook = self._read()
        self._ran = self.texts if playbook else self._ran
        if playbook is not None:
            at = self.stepper_view.stepper.index if self.stepper_view else 0
            self._show_run(playbook, at)
        elif self.problems:
            first = self.problems[0]
            self._notice = "Not run. "
            self.desk.editing.send({"op": "go", "part": first.part, "at": first.at})
        self.refresh()

    def choose(self, name: str) -> None:
        """Begin with an example, or go back to a text of one's own; each that was changed stays in the menu."""
        self._write(self._starts[name])
        self._menu(name)
        playbook = self._read()
        if playbook is not None:
            self._ran = self.texts
            self._show_run(playbook, 0)
        self.refresh()

    def copy_code(self) -> None:
        """Show the code of a cell that makes the run, at its call, and put it into the clipboard."""
        if self.playbook is None or self.stepper_view is None:
            self._notice = "There is no run yet, so there is no code of it. "
        else:
            code = code_of_playbook(self.playbook, self.stepper_view.stepper)
            self.code.value, self.code.layout.display = code, ""
            self.desk.editing.send({"op": "copy", "code": code})
            self._notice = "The code of this run stands at the bottom. "
        self.refresh()

    # ---- reading and showing

    @property
    def stale(self) -> bool:
        """Whether the run is of a text before."""
        return self.texts != self._ran

    @property
    def status_text(self) -> str:
        """What is to be said of the texts, in a sentence or two."""
        if self.problems:
            first = str(self.problems[0])
            words = f"{count(len(self.problems), 'problem')}. {first[:1].upper()}{first[1:]}"
        elif self.stale:
            words = "The text has changed. Press Run, or Ctrl+Enter."
        else:
            words = "The run is of this text."
        return self._notice + words

    def refresh(self) -> None:
        """Show what is known of the texts and of the run."""
        kind = "wrong" if self.problems else "changed" if self.stale else "same"
        self.desk.status.value = f"<span class='pg-{kind}'>{escape(self.status_text)}</span>"
        for part, editor in self.editors.items():
            editor.show([one for one in self.problems if one.part == part])
        self.desk.mark.value = self._about_run()
        if self.stale and self.stepper_view is not None:
            self.desk.stage.add_class("pg-stale")
        else:
            self.desk.stage.remove_class("pg-stale")
        marks = {part: editor.marks for part, editor in self.editors.items()}
        self.desk.editing.frame = {**marks, "status": self.status_text}
        self._notice = ""

    def _about_run(self) -> str:
        if self.stepper_view is None:
            return "<p>There is no run yet. Repair the text, then press Run.</p>"
        return f"<p>{BEFORE}</p>" if self.stale else ""

    def _read(self) -> Playbook | None:
        try:
            playbook = read_playbook(self.texts)
        except PlaybookError as error:
            self.problems = error.problems
            return None
        self.problems = ()
        return playbook

    def _show_run(self, playbook: Playbook, at: int) -> None:
        before, self.playbook = self.stepper_view, playbook
        self.stepper_view = StepperView(playbook.stepper(), at=at, scale=self._scale)
        self.desk.stage.children = [self.desk.mark, self.stepper_view]
        if before is not None:
            before.close()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the live view, and what stands for it where no kernel runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        stepper = self.stepper_view.stepper if self.stepper_view else None
        shown = {
            "text/plain": plain_playground(self.problems, stepper, self.stale),
            "text/html": html_playground(self.texts, self.problems, stepper, self.stale),
        }
        return {**bundle, **shown}

    def __repr__(self) -> str:
        run = "" if self.stepper_view is None else repr(self.stepper_view).removeprefix("<StepperView: ")[:-1]
        return f"<PlaygroundView: {self.status_text if self.problems else run}>"

    # ---- parts and handlers

    def _make_parts(self) -> None:
        desk = Desk(self._starts.names, self._scale)
        self.desk, self.menu, self.code, self.editors = desk, desk.menu, desk.code, desk.editors
        self.run_button, self.copy_button = desk.run_button, desk.copy_button
        self.run_button.on_click(lambda _: self._try(self.run))
        self.copy_button.on_click(lambda _: self._try(self.copy_code))
        desk.editing.on_msg(lambda _, message, __: self._try(lambda: self._on_message(message)))
        self.menu.observe(lambda change: self._try(lambda: self._on_menu(change["new"])), "value")
        for editor in self.editors.values():
            editor.area.observe(lambda _: self._try(self._on_typed), "value")

    def _on_typed(self) -> None:
        if not self._quiet:
            self._keep()
            self._read()
            self.refresh()

    def _on_menu(self, name: str) -> None:
        if not self._quiet:
            self.choose(name)

    def _on_message(self, message: dict[str, Any]) -> None:
        """Do what the page asks for."""
        if message.get("op") == "run":
            texts = message.get("texts") or {}  # what was typed may come later than the key that runs it
            typed = Texts(*(str(texts.get(part, text)) for part, text in self.texts._asdict().items()))
            if typed != self.texts:
                self._write(typed)
                self._keep()
            self.run()
        elif message.get("op") == "copied":
            self._notice = (
                "The code of this run is copied. " if message.get("done") else "Copy the code at the bottom. "
            )
            self.refresh()

    def _keep(self) -> None:
        """Keep what is typed as a text of the reader's own, so that no example takes its place."""
        self._menu(self._starts.keep(self.menu.value, self.texts))

    def _write(self, texts: Texts) -> None:
        self._quiet = True
        try:
            for editor, text in zip(self.editors.values(), texts, strict=True):
                editor.area.value = text
        finally:
            self._quiet = False

    def _menu(self, name: str) -> None:
        self._quiet = True
        try:
            if self.menu.options != self._starts.names:
                self.menu.options = self._starts.names
            self.menu.value = name
        finally:
            self._quiet = False

    def _try(self, press: Callable[[], None]) -> None:
        """Do it; show what went wrong in the view itself, where it is seen."""
        try:
            with self._lock:
                press()
        except Exception as error:
            self.last_error = error
            self.desk.status.value = f"<span class='pg-wrong'>{escape(exception_text(error))}</span>"

    def close(self) -> None:
        """Close the view with everything that it is made of."""
        if self.stepper_view is not None:
            self.desk.stage.children = [self.desk.mark]
            self.stepper_view.close()
            self.stepper_view = None
        if self._made:
            close_all(self)
        super().close()


def _plain_lines(texts: Any) -> Texts:
    """Return the texts as a text area has them: lines end with LF alone."""
    if not isinstance(texts, Texts) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"texts is {texts!r:.80}; pass Texts(prompt, script, tools), or use playground(...)")
    return Texts(*(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n") for text in texts))
