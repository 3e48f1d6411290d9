"""A streamed answer on the screen, one piece of bytes at a time: bytes, events, what they add, the message so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from json import JSONDecoder
from typing import Any

import ipywidgets as widgets

from minagent_lab.stepping.stream import StreamStepper
from minagent_lab.values import dump_json
from minagent_lab.views.closing import ClosingBox
from minagent_lab.views.guard import Guard
from minagent_lab.views.html import escape, lang, quoted
from minagent_lab.views.transport import Transport
from minagent_lab.views.wire_text import Bit, bits_of, cut_inside
from minagent_lab.views.words import count

SHOWN_BYTES = 1_500  # before the newest piece; what is older is counted
SHOWN_EVENTS = 6
DELTA = '"delta":'
# The colours are mixed towards the theme's own ink, so that one rule serves light and dark; shape and word say it too.
STYLE = """<style>
.lab-stream{--ink:var(--jp-ui-font-color0,#000);--bg:var(--jp-layout-color1,#fff);
  --line:var(--jp-border-color2,#e0e0e0);--muted:color-mix(in srgb,var(--ink) 68%,var(--bg));
  --new:color-mix(in srgb,var(--jp-brand-color1,#1976d2) 80%,var(--ink));
  --bad:color-mix(in srgb,var(--jp-error-color1,#d32f2f) 76%,var(--ink));
  font:400 14px/1.5 var(--jp-ui-font-family,system-ui,sans-serif);color:var(--ink)}
.lab-stream h4{font-size:14px;font-weight:600;margin:10px 0 4px;color:var(--ink)}
.lab-stream h4 span{font-weight:400;color:var(--muted)}
.lab-stream p{margin:2px 0}
.lab-stream .big{font-size:18px}.lab-stream .m{color:var(--muted)}.lab-stream .bad{color:var(--bad);font-weight:600}
.lab-stream pre,.lab-stream code{font-family:var(--jp-code-font-family,monospace),"Noto Sans CJK SC";font-size:13px;
  color:inherit;background:none;padding:0}
.lab-stream .wire{border:1px solid var(--line);padding:6px 8px;max-height:15em;overflow:auto;white-space:pre-wrap;
  font-family:var(--jp-code-font-family,monospace),"Noto Sans CJK SC";font-size:13px;
  overflow-wrap:anywhere;display:flex;flex-direction:column-reverse;line-height:1.7}
.lab-stream .pc{border-right:2px solid var(--muted)}
.lab-stream .pc.new{border-right-color:var(--new);background:color-mix(in srgb,var(--new) 14%,var(--bg));
  text-decoration:underline;text-decoration-color:var(--new);text-underline-offset:4px}
.lab-stream .hex{border:1px solid var(--bad);border-radius:2px;padding:0 2px;margin:0 1px;
  font-size:11px;color:var(--bad)}
.lab-stream .end{color:var(--muted);font-size:11px}
.lab-stream ol{margin:0;padding-left:2.4em}.lab-stream li{overflow-wrap:anywhere}
.lab-stream li.new{border-left:3px solid var(--new);padding-left:6px}
.lab-stream .said{font-size:16px;white-space:pre-wrap;overflow-wrap:anywhere;min-height:1.6em}
</style>"""


def step_stream(pieces: Iterable[bytes], protocol: str = "chat", *, at: int | str = 0) -> StreamView:
    r"""Show a streamed answer that is stepped one piece of bytes at a time.

    Parameters
    ----------
    pieces, protocol
        As for `StreamStepper`.
    at
        How many pieces have come at first; ``"end"`` for all.

    Examples
    --------
    >>> from minagent_lab.stepping.stream import cut
    >>> step_stream(cut('data: {"choices": []}\n\n'.encode(), 10), at=2)
    <StreamView: Piece 2 of 3. No event yet: the bytes wait for the empty line that ends it.>
    """
    return StreamView(StreamStepper(pieces, protocol), at=at)


class StreamView(ClosingBox):
    """A view of a `StreamStepper`. Any number of views of one stepper agree.

    Parameters
    ----------
    stepper
        What to show.
    at
        As for `step_stream`.
    """

    _stop_watching: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, stepper: StreamStepper, *, at: int | str = 0) -> None:
        if not isinstance(stepper, StreamStepper):
            raise TypeError(f"stepper is {stepper!r:.80}; pass a StreamStepper, or use step_stream(pieces)")
        if at != "end" and (isinstance(at, bool) or not isinstance(at, int) or at < 0):
            raise ValueError(f"at is {at!r:.40}; it is a number of pieces from 0 up, or 'end'")
        self.stepper = stepper
        stepper.goto(len(stepper.steps) if at == "end" else int(at))
        self.transport = Transport(len(stepper.steps), self.goto, "piece")
        self.status, self.panes = widgets.HTML(), widgets.HTML()
        guard = Guard(ways=True, label="Stream, piece by piece")
        guard.on_msg(lambda _, message, __: self.transport.move(str(message.get("way"))))
        super().__init__([widgets.HTML(STYLE), self.status, self.transport, self.panes, guard])
        self.add_class("lab-guarded")
        self._stop_watching = stepper.watch(self.refresh)
        self.refresh()

    def goto(self, piece: int) -> None:
        """Show the stream after so many pieces."""
        if not self.stepper.goto(piece):
            self.refresh()  # the slider goes back to where it was

    @property
    def status_text(self) -> str:
        """Where the stream stands, in words."""
        return f"{place(self.stepper)}. {happened(self.stepper)}"

    def refresh(self) -> None:
        """Show what the stepper has now. It is called by itself after each move."""
        self.transport.show(self.stepper.index)
        words = f"<b class='big'>{escape(place(self.stepper))}</b> {escape(happened(self.stepper))}"
        self.status.value = f"<div class='lab-stream' role='status'>{words}</div>"
        self.panes.value = f"<div class='lab-stream'>{panes(self.stepper)}</div>"

    def close(self) -> None:
        """Stop watching, and close the view with its parts."""
        self._stop_watching()
        super().close()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the live view, and what stands for it where no kernel runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        html = f"<p><b>{escape(place(self.stepper))}.</b> {escape(happened(self.stepper))}</p>{panes(self.stepper)}"
        return {**bundle, "text/plain": static_text(self.stepper), "text/html": html}

    def __repr__(self) -> str:
        return f"<StreamView: {self.status_text}>"


# ---- in words


def place(stepper: StreamStepper) -> str:
    """Return which piece came last."""
    return f"Piece {stepper.index} of {len(stepper.steps)}" if stepper.index else "Before the first piece"


def happened(stepper: StreamStepper) -> str:
    """Return what the last piece did."""
    step = stepper.step
    if step is None:
        return f"{count(len(stepper.steps), 'piece')} will come."
    if stepper.ended and stepper.error is not None:
        return f"The stream comes to nothing: {stepper.error}."
    if step.error is not None:
        return f"The reader has given up: {step.error}."
    end = _whole(stepper) if stepper.ended else ""
    if step.events:
        return f"{count(len(step.events), 'event')} became whole: {'; '.join(step.added)}.{end}"
    why = "No event yet: the bytes wait for the empty line that ends it."
    inside = " It ends inside a character." if cut_inside(step.piece) else ""
    return f"{why if step.waiting else 'No event: a comment or an empty one.'}{inside}{end}"


def _whole(stepper: StreamStepper) -> str:
    """Return that the answer is whole, or that only the stream is."""
    cut = stepper.response is not None and stepper.response.stop_reason == "max_tokens"
    return " The stream is whole; the answer was cut at the model's limit." if cut else " The answer is whole."


# ---- in panes


def panes(stepper: StreamStepper) -> str:
    """Return the four panes as HTML that also reads without a style sheet."""
    step = stepper.step
    so_far = stepper.steps[: stepper.index]
    come = sum(len(one.piece) for one in so_far)
    waiting = f"; {count(len(step.waiting), 'byte')} wait" if step and step.waiting else ""
    return (
        f"<h4>Bytes <span>{count(come, 'byte')} in {count(stepper.index, 'piece')}{waiting}</span></h4>"
        f"<div class='wire' tabindex='0' role='log' aria-live='off'><div>{_wire(stepper)}</div></div>"
        f"<h4>The message so far</h4>{_message(stepper)}"
        f"<h4>Events <span>{count(sum(len(one.events) for one in so_far), 'event')}</span></h4>{_events(stepper)}"
    )


def _wire(stepper: StreamStepper) -> str:
    """Return the pieces, the newest marked, each with its end; what is too old is counted."""
    shown, size, first = [], 0, stepper.index
    for step in reversed(stepper.steps[: stepper.index]):
        if size > SHOWN_BYTES:
            break
        first, size = step.number, size + len(step.piece)
        new = " new" if step.number == stepper.index else ""
        shown.append(f"<span class='pc{new}'>{''.join(map(_bit, bits_of(step.piece)))}</span>")
    older = f"<span class='m'>… {count(first - 1, 'piece')} before …</span> " if first > 1 else ""
    return older + "<wbr>".join(reversed(shown))


def _bit(bit: Bit) -> str:
    if bit.kind == "hex":
        return f"<span class='hex'>{escape(bit.text)}</span>"
    if bit.kind == "end":
        return f"<span class='end'>{escape(bit.text)}</span>{'<br>' if bit.text.endswith('n') else ''}"
    return f"<span{lang(bit.text)}>{escape(bit.text)}</span>"


def _events(stepper: StreamStepper) -> str:
    rows = [
        (step.number == stepper.index, event, words)
        for step in stepper.steps[: stepper.index]
        for event, words in zip(step.events, step.added, strict=True)
    ]
    if not rows:
        return "<p class='m'>none yet</p>"
    items = "".join(
        f"<li{' class=' + chr(39) + 'new' + chr(39) if new else ''}>{'<b>NEW</b> ' if new else ''}"
        f"{_pointed(f'{event.name} {event.data}'.strip())}<br>{escape(words)}</li>"
        for new, event, words in rows[-SHOWN_EVENTS:]
    )
    return f"<ol start='{max(len(rows) - SHOWN_EVENTS, 0) + 1}'>{items}</ol>"


def _pointed(data: str) -> str:
    """Return the data of an event as code, its delta in bold: that is what it adds to the message."""
    start = data.find(DELTA)
    try:
        _, stop = JSONDecoder().raw_decode(data, start + len(DELTA)) if start >= 0 else ("", 0)
    except ValueError:  # half an event
        stop = 0
    if not stop:
        return quoted(data)
    before, delta, after = (escape(part) for part in (data[:start], data[start:stop], data[stop:]))
    return f"<code{lang(data)}>{before}<b>{delta}</b>{after}</code>"


def _message(stepper: StreamStepper) -> str:
    step = stepper.step
    if step is None:
        return "<p class='m'>nothing yet</p>"
    message = step.message
    lines = [f"<p class='said'{lang(message.text)}>{escape(message.text) or '<span class=m>no text yet</span>'}</p>"]
    for id, name, arguments in message.calls:
        lines.append(f"<p>tool call {quoted(id or 'no id yet')} <b>{escape(name)}</b> {quoted(arguments)}</p>")
    if message.finish:
        lines.append(f"<p>stops: {quoted(message.finish)}</p>")
    if message.usage:
        lines.append(f"<p>usage: {quoted(dump_json(message.usage))}</p>")
    if stepper.ended:
        lines.append(_end(stepper))
    return "".join(lines)


def _end(stepper: StreamStepper) -> str:
    if stepper.error is not None:
        return f"<p class='bad'>✕ No response: {escape(str(stepper.error))}</p>"
    return f"<p><b>✓ The response:</b> {quoted(repr(stepper.response))}</p>"


def static_text(stepper: StreamStepper) -> str:
    """Return the view as plain text."""
    lines = [f"{place(stepper)}. {happened(stepper)}"]
    if step := stepper.step:
        lines.append(f"piece:   {''.join(bit.text for bit in bits_of(step.piece))}")
        lines.append(f"waiting: {count(len(step.waiting), 'byte')}")
        lines += [f"event:   {words}" for words in step.added]
        lines.append(f"message: {step.message.text!r}")
        lines += [f"call:    {name} [{id}] {arguments}" for id, name, arguments in step.message.calls]
    if stepper.ended and stepper.response is not None:
        lines.append(f"response: {stepper.response!r}")
    return "\n".join(lines)
