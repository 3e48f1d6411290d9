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
from minagent_lab.stepping.playbook_text import code_of_playbook, layout, script_text
from minagent_lab.values import a_kind, copy_json
from minagent_lab.views.closing import close_all
from minagent_lab.views.editing import Editing, Editor
from minagent_lab.views.guard import Guard
from minagent_lab.views.html import escape
from minagent_lab.views.playground_words import BEFORE, LABELS, Starts, html_playground, plain_playground
from minagent_lab.views.stepper_view import StepperView
from minagent_lab.views.words import count

ROWS = {"prompt": 4, "script": 10, "tools": 14}


def playground(
    script: Any = None,
    tools: Any = None,
    prompt: str | None = None,
    *,
    system: str | None = None,
    max_steps: int = 10,
    scale: float = 1.0,
) -> PlaygroundView:
    """Show a playground: script, tools' results and prompt as text that can be changed, and the run of it.

    Parameters
    ----------
    script
        What to begin with: a list as for `FakeModel`, or the text itself. See `Texts` for what texts may say.
    tools
        A dict ``{name: {"description": ..., "parameters": ..., "results": [...]}}``, or the text itself.
    prompt, system, max_steps
        As for `run`.
    scale
        The size of everything; 1.6 for a projector.

    Returns
    -------
    PlaygroundView
        With nothing given, it begins with an example.

    Examples
    --------
    >>> playground(["Hello."], prompt="Hi")
    <PlaygroundView: Before call 1 of at most 10>
    >>> playground('["Hello."', prompt="Hi")
    <PlaygroundView: 1 problem. Script, line 1: this [ is never closed; write ] where it ends>
    """
    if script is None and tools is None and prompt is None and system is None and max_steps == 10:
        return PlaygroundView(scale=scale)
    about: dict[str, Any] = {"prompt": "Hello." if prompt is None else prompt}
    about.update({} if system is None else {"system": system})
    about.update({} if max_steps == 10 else {"max_steps": max_steps})
    return PlaygroundView(Texts(layout(copy_json(about)), _script(script), _tools(tools)), scale=scale)


def _script(script: Any) -> str:
    if script is None:
        return '["Hello."]'
    return script if isinstance(script, str) else script_text(script)


def _tools(tools: Any) -> str:
    if tools is None or isinstance(tools, str):
        return tools or "{}"
    if not isinstance(tools, dict):
        shape = '{"add": {"description": ..., "parameters": {...}, "results": ["5"]}}'
        raise TypeError(f"tools is {a_kind(tools)}; tools of a playground have results in place of code: {shape}")
    return layout(copy_json(tools, "tools"))


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
        super().__init__([self._bar, self._desk, self.code, self._editing, Guard()])
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
            self._editing.send({"op": "go", "part": first.part, "at": first.at})
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
            self._editing.send({"op": "copy", "code": code})
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
        self._status.value = f"<span class='pg-{kind}'>{escape(self.status_text)}</span>"
        for part, editor in self.editors.items():
            editor.show([one for one in self.problems if one.part == part])
        self._mark.value = self._about_run()
        if self.stale and self.stepper_view is not None:
            self._stage.add_class("pg-stale")
        else:
            self._stage.remove_class("pg-stale")
        marks = {part: editor.marks for part, editor in self.editors.items()}
        self._editing.frame = {**marks, "status": self.status_text}
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
        self._stage.children = [self._mark, self.stepper_view]
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
        self.menu = widgets.Dropdown(options=self._starts.names, description="Start from")
        self.run_button, self.copy_button = (
            self._button("Run", self.run),
            self._button("Copy all as code", self.copy_code),
        )
        self.run_button.add_class("pg-run")
        self._status = _html("pg-status")
        self._bar = _box(widgets.HBox, "pg-bar", [self.menu, self.run_button, self.copy_button, self._status])
        self.editors = {part: Editor(part, LABELS[part], ROWS[part]) for part in Texts._fields}
        texts = _box(widgets.VBox, "pg-texts", list(self.editors.values()))
        self._mark = _html("pg-before")
        self._stage = _box(widgets.VBox, "pg-stage", [self._mark])
        self._desk = _box(widgets.Box, "pg-desk", [texts, self._stage])
        self.code = widgets.Textarea(description="Code of the run", rows=14, layout=widgets.Layout(display="none"))
        for name in ("pg-area", "pg-code"):
            self.code.add_class(name)
        self._editing = Editing(frame={}, scale=self._scale)
        self._editing.on_msg(lambda _, message, __: self._try(lambda: self._on_message(message)))
        self.menu.observe(lambda change: self._try(lambda: self._on_menu(change["new"])), "value")
        for editor in self.editors.values():
            editor.area.observe(lambda _: self._try(self._on_typed), "value")

    def _button(self, label: str, press: Callable[[], None]) -> Any:
        button = widgets.Button(description=label, tooltip="")
        button.on_click(lambda _: self._try(press))
        return button

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
            self._status.value = f"<span class='pg-wrong'>{escape(exception_text(error))}</span>"

    def close(self) -> None:
        """Close the view with everything that it is made of."""
        if self.stepper_view is not None:
            self._stage.children = [self._mark]
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


def _box(kind: type, name: str, children: list[Any]) -> Any:
    box = kind(children)
    box.add_class(name)
    return box


def _html(name: str) -> Any:
    made = widgets.HTML()
    made.add_class(name)
    return made
