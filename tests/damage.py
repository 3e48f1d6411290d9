"""Every way in which a file of text or JSON may come to harm: bytes, stretches, lines, and the data it holds."""

import copy
import json

from hypothesis import strategies as st
from lab import json_values

BYTES = st.sampled_from(b'0{}[]",:\\ \x00\xff\xef\x85\r\neE-') | st.integers(0, 255)
ODD = st.sampled_from(["", "\ud83d", "error", "run_started", -1, 2.0, 1e308, 10**30, float("nan"), float("inf"), [[]]])
FIELDS = st.sampled_from(
    [
        *("kind", "version", "error", "retry_after", "status_code", "usage", "model", "calls", "request", "tools"),
        *("event", "time", "minagent.call", "gen_ai.usage.input_tokens", "gen_ai.response.finish_reasons"),
        *("verdict", "cost", "problems", "no field"),
    ]
)


@st.composite
def damaged(draw, whole):
    """Return the bytes of a file, harmed in one way or two."""
    for _ in range(draw(st.integers(1, 2))):
        whole = draw(st.sampled_from([_bytes, _stretches, _lines, _data, _data]))(draw, whole)
    return whole


def _bytes(draw, whole):
    changed = bytearray(whole)
    for _ in range(draw(st.integers(1, 3)) if whole else 0):
        changed[draw(st.integers(0, len(whole) - 1))] = draw(BYTES)
    return bytes(changed)


def _stretches(draw, whole):
    """Take a stretch away, double it, or leave nothing behind it."""
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    return whole[:start] + draw(st.sampled_from([whole[end:], whole[start:end] + whole[start:], b""]))


def _lines(draw, whole):
    lines = whole.split(b"\n")
    one, other = draw(st.tuples(*[st.integers(0, len(lines) - 1)] * 2))
    if draw(st.booleans()):
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines[one : other + 1] = draw(st.sampled_from([[], lines[one : other + 1] * 2]))
    return draw(st.sampled_from([b"\n", b"\n", b"\r\n"])).join(lines)


def _data(draw, whole):
    """Change, take away or add one value, in the text as a whole or in one of its lines."""
    head, text, rest = b"", whole, b""
    if whole.count(b"}\n{"):
        lines = whole.split(b"\n")
        at = draw(st.integers(0, len(lines) - 1))
        head, text, rest = (b"\n".join(part) for part in (lines[:at], lines[at : at + 1], lines[at + 1 :]))
        head, rest = head + b"\n" * bool(head), b"\n" * bool(rest) + rest
    try:
        data = json.loads(text.decode("utf-8-sig"))
    except ValueError:
        return whole
    places = [place for place in _places(data) if place]
    if not places:
        return whole
    *way, key = draw(st.sampled_from(places))
    holder = data = copy.deepcopy(data)
    for step in way:
        holder = holder[step]
    what = draw(st.sampled_from(["change", "change", "take away", "add"]))
    if what == "take away":
        del holder[key]
    elif what == "add" and isinstance(holder, dict):
        holder[draw(FIELDS)] = draw(json_values | ODD)
    elif what == "add":
        holder.insert(key, draw(json_values | ODD | st.just(holder[key])))
    else:
        holder[key] = draw(json_values | ODD)
    return head + json.dumps(data, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass") + rest


def _places(data, where=()):
    yield where
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, held in inside:
        yield from _places(held, (*where, key))
