"""Chapter 12, on the wire: predictions, exercises, recorded streams, and quiz."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from minagent_lab.course import shop
from minagent_lab.course.by_hand import by_hand
from minagent_lab.course.exercise import Exercise, Mutant, WrongTest, is_function, made, says
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.kinds import is_plain_function, is_returning_function
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.errors import NetworkError
from minagent_lab.providers.chat_stream import ChatAssembler
from minagent_lab.providers.sse import EventReader
from minagent_lab.results import exception_text
from minagent_lab.stepping.stream import cut

TITLE = "On the wire"
LAST = "data: [DONE]\n\n"


def said(text: str | None, finish: str | None = None) -> dict[str, Any]:
    """Return a chunk in which the model says something."""
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


def sse(*chunks: Any, end: str = LAST) -> bytes:
    """Return the bytes of a stream of chunks."""
    return ("".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks) + end).encode()


def world() -> dict[str, Any]:
    """Return the names that the chapter's cells define, as far as exercises use them."""
    readers = {"ChatAssembler": ChatAssembler, "EventReader": EventReader, "cut": cut}
    return {**shop.world(), **readers, "NetworkError": NetworkError, "json": json, "said": said, "sse": sse}


# ---- 12.1 -----------------------------------------------------------------------------------------------------------

SIZES = (1, 2, 3, 5, 7, 64)  # bytes in a piece; each is another way to cut


def _events(events: Any, body: bytes, wanted: list[str], what: str, sizes: Iterable[int] = (1000,)) -> None:
    for size in sizes:
        pieces = cut(body, size)
        told = what if len(pieces) == 1 else f"{what}, in pieces of {size} byte{'s' * (size > 1)},"
        expect(_listed(events, pieces, told), wanted, told)


def _iterated(found: Any) -> Iterator[Any]:
    assert hasattr(found, "__iter__"), f"it returned {shown(found)}; write `yield`"
    return iter(found)


def _listed(events: Any, pieces: list[bytes], what: str) -> list[Any]:
    try:
        return list(islice(_iterated(events(iter(pieces))), 50))
    except AssertionError:
        raise
    except Exception as problem:
        raise AssertionError(f"{what} it raised {exception_text(problem)}") from None


def test_a_body_that_comes_at_once_is_read(events: Any) -> None:
    _events(events, b'data: {"a": 1}\n\ndata: [DONE]\n\n', ['{"a": 1}', "[DONE]"], "for two events")


def test_it_does_not_matter_where_the_body_is_cut(events: Any) -> None:
    _events(events, b'data: {"a": 1}\n\ndata: [DONE]\n\n', ['{"a": 1}', "[DONE]"], "for two events", SIZES)


@says("你 and 🙂 stay whole, wherever they are cut")
def test_characters(events: Any) -> None:
    _events(events, "data: 你好\n\ndata: 🙂\n\n".encode(), ["你好", "🙂"], "for 你好 and 🙂", SIZES)


@says("lines may end with CRLF, and be cut between CR and LF")
def test_crlf(events: Any) -> None:
    _events(events, b"data: one\r\n\r\ndata: two\r\n\r\n", ["one", "two"], "for lines with CRLF", (1000, 10, 1))


@says("U+2028 ends no line, nor does U+0085")
def test_hidden_ends(events: Any) -> None:
    _events(events, "data: a\u2028b\u0085c\n\n".encode(), ["a\u2028b\u0085c"], "for U+2028 and U+0085 in the data")


@says("comments, names, ids and retry times are no data")
def test_other_lines(events: Any) -> None:
    body = b": ping\n\nevent: note\nid: 7\nretry: 3000\ndata: one\n: data: no\n\n"
    _events(events, body, ["one"], "for an event with a comment, a name, an id and a retry time")
    _events(events, b"database: x\ndata: one\n\n", ["one"], "for a field `database`, which is not `data`,")


@says("without data there is no event, nor without an empty line at the end")
def test_no_event(events: Any) -> None:
    _events(events, b"retry: 3000\n\ndata:\n\ndata: one\n\n", ["one"], "for a retry time, empty data, and one event")
    _events(events, b"data: one\n\ndata: tw", ["one"], "for a stream that stops inside the second event")
    _events(events, b"data: one\n\ndata: two\n", ["one"], "for a stream that stops before the last empty line")


def test_several_data_lines_are_one_event(events: Any) -> None:
    _events(events, b'data: {\ndata: "a": 1}\n\n', ['{\n"a": 1}'], "for two data lines", (1000, 3))
    _events(events, b"data:\ndata: x\n\n", ["\nx"], "for an empty data line and one with x")


def test_one_blank_after_the_colon_is_taken_off_if_it_is_there(events: Any) -> None:
    _events(events, b"data:one\n\ndata:  two \n\n", ["one", " two "], "for no blank, and for two and one at the end")


def test_an_event_is_handed_on_before_the_stream_is_over(events: Any) -> None:
    came: list[bytes] = []

    def arriving() -> Iterator[bytes]:
        for piece in (b"data: o", b"ne\n\nda", b"ta: two\n\n", b"data: three\n\n"):
            came.append(piece)
            yield piece

    first = next(_iterated(events(arriving())), None)
    expect(first, "one", "the first event:")
    assert len(came) == 2, (
        f"the first event was whole after 2 pieces, and was handed on after {len(came)}; use `yield`, piece by piece"
    )


EVENTS = Exercise(
    id="12.1",
    title="From bytes to events",
    thing="events",
    wants="a function events(pieces), which yields text",
    fits=is_plain_function,
    starter="""
def events(pieces):
    for piece in pieces:
        for line in piece.decode().splitlines():
            if line.startswith("data: "):
                yield line.removeprefix("data: ")
""",
    hints=[
        "A piece is neither a line nor an event. What is left over after the last line end has to be kept for the next "
        "piece; so have the data lines of an event that is still open.",
        'Split bytes, not text: `*lines, rest = (rest + piece).split(b"\\n")`. A line that is whole holds whole '
        "characters, so now `line.decode()` is safe. A CR at its end goes first: `removesuffix`.",
        'Keep a list `data`. A line that starts with `data:` adds to it; an empty line yields `"\\n".join(data)`, if there '
        "is something in it, and empties the list. Every other line: nothing. At the end of the stream: nothing either.",
    ],
    solution=r"""
def events(pieces):
    rest, data = b"", []
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            line = line.removesuffix(b"\r").decode()
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line:
                if any(data):
                    yield "\n".join(data)
                data = []
""",
    tests=[
        test_a_body_that_comes_at_once_is_read,
        test_it_does_not_matter_where_the_body_is_cut,
        test_characters,
        test_crlf,
        test_hidden_ends,
        test_other_lines,
        test_no_event,
        test_several_data_lines_are_one_event,
        test_one_blank_after_the_colon_is_taken_off_if_it_is_there,
        test_an_event_is_handed_on_before_the_stream_is_over,
        by_hand(EventReader),
    ],
    mutants=[
        Mutant(
            "lets the package read",
            "def events(pieces):\n",
            "def events(pieces):\n    reader = EventReader()\n    for piece in pieces:\n"
            "        yield from (event.data for event in reader.feed(piece))\n\ndef unused(pieces):\n",
            "test_by_hand",
            "It is a good reader; what a piece, a line and an event are, one learns by writing it.",
        ),
        Mutant(
            "forgets the rest",
            "(rest + piece)",
            "piece",
            "test_it_does_not_matter_where_the_body_is_cut",
            "A piece ends where the network likes, so the begin of a line is in one and its end in the next.",
        ),
        Mutant(
            "decodes each piece by itself",
            "(rest + piece)",
            '(rest + piece.decode(errors="replace").encode())',
            "test_characters",
            "Half a character is no text; replaced, it is lost for good, and nobody is told.",
        ),
        Mutant(
            "splits with splitlines",
            r"""        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            line = line.removesuffix(b"\r").decode()
""",
            r"""        *lines, rest = (rest + piece).split(b"\n")
        for line in b"\n".join([*lines, b""]).decode().splitlines():
""",
            "test_hidden_ends",
            "For splitlines, U+2028 ends a line; in the data of a stream it is a character like any other.",
        ),
        Mutant(
            "keeps the CR",
            r'.removesuffix(b"\r")',
            "",
            "test_crlf",
            "With CRLF an empty line is not empty: it has a CR in it, and no event ever ends.",
        ),
        Mutant(
            "takes every line for data",
            'if line.startswith("data:"):',
            'if ":" in line:',
            "test_other_lines",
            "Names, ids and comments have a colon too; what counts is the field before it.",
        ),
        Mutant(
            "looks at four letters",
            'if line.startswith("data:"):',
            'if line.startswith("data"):',
            "test_other_lines",
            "The name of a field ends at the colon; `database` is another field.",
        ),
        Mutant(
            "drops empty data lines",
            'if line.startswith("data:"):',
            'if line.startswith("data:") and line[5:].strip():',
            "test_several_data_lines_are_one_event",
            "An empty data line is an empty line of the data, also as the first one.",
        ),
        Mutant(
            "hands on each data line",
            r"""                data.append(line[5:].removeprefix(" "))""",
            r"""                yield line[5:].removeprefix(" ")""",
            "test_several_data_lines_are_one_event",
            "The empty line ends an event, not the data line; half a JSON text is none.",
        ),
        Mutant(
            "keeps the last data line only",
            'data.append(line[5:].removeprefix(" "))',
            'data = [line[5:].removeprefix(" ")]',
            "test_several_data_lines_are_one_event",
            "Several data lines of one event belong together.",
        ),
        Mutant(
            "wants a blank after the colon",
            'line.startswith("data:")',
            'line.startswith("data: ")',
            "test_one_blank_after_the_colon_is_taken_off_if_it_is_there",
            "The blank is allowed, not required, and some servers leave it out.",
        ),
        Mutant(
            "takes off all blanks",
            '.removeprefix(" ")',
            ".strip()",
            "test_one_blank_after_the_colon_is_taken_off_if_it_is_there",
            "One blank belongs to the form; any other is the sender's.",
        ),
        Mutant(
            "makes an event of nothing",
            "if any(data):",
            "if data:",
            "test_no_event",
            "Empty data keeps the connection open; whoever parses it gets “Expecting value”.",
        ),
        Mutant(
            "forgets to begin anew",
            "                data = []\n",
            "",
            "test_a_body_that_comes_at_once_is_read",
            "The second event would hold the first one too.",
        ),
        Mutant(
            "hands on what is unfinished",
            "                data = []\n",
            '                data = []\n    if data:\n        yield "\\n".join(data)\n',
            "test_no_event",
            "What stops before its empty line may be half of something.",
        ),
        Mutant(
            "waits for the end",
            "for piece in pieces:",
            'for piece in [b"".join(pieces)]:',
            "test_an_event_is_handed_on_before_the_stream_is_over",
            "Then a stream is no faster than an answer that comes whole.",
        ),
    ],
    world=world,
)


# ---- 12.2 -----------------------------------------------------------------------------------------------------------

STOP = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
CALLS = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
USED = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}


def _wish(index: int, id: str | None = None, name: str | None = None, arguments: str | None = None) -> dict[str, Any]:
    function = {key: held for key, held in (("name", name), ("arguments", arguments)) if held is not None}
    piece: dict[str, Any] = {"index": index, "function": function}
    return _chunk({"tool_calls": [piece if id is None else {**piece, "id": id}]})


def _chunk(delta: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def _assembled(assemble: Any, chunks: list[dict[str, Any]], what: str) -> tuple[Any, Any, Any]:
    try:
        found = assemble(json.loads(json.dumps(chunks)))
    except Exception as problem:
        raise AssertionError(f"{what} it raised {exception_text(problem)}") from None
    right = isinstance(found, tuple) and len(found) == 3
    assert right, f"it returns three values, `text, calls, usage`; yours returned {shown(found)}"
    text, calls, usage = found
    return text, calls, usage


def _text(assemble: Any, chunks: list[dict[str, Any]], wanted: str, what: str) -> None:
    expect(_assembled(assemble, chunks, what)[0], wanted, f"{what} the text:")


def _calls(assemble: Any, chunks: list[dict[str, Any]], wanted: list[Any], what: str) -> None:
    calls = _assembled(assemble, chunks, what)[1]
    got = [tuple(call) for call in calls] if isinstance(calls, (list, tuple)) else calls
    expect(got, wanted, f"{what} the calls:")


TEA = ("c1", "price", {"item": "tea"})
CAKE = ("c2", "price", {"item": "cake"})


def test_text_is_joined(assemble: Any) -> None:
    chunks = [said(""), said("茶 12"), said(" 元。"), STOP]
    _text(assemble, chunks, "茶 12 元。", "for three deltas")


@says("a chunk without choices has no text, wherever it comes")
def test_no_choices(assemble: Any) -> None:
    empty: list[dict[str, Any]] = [{"choices": []}, {"choices": None}, {}]
    for none in empty:
        what = f"with the chunk {none} first and last"
        _text(assemble, [none, said("Tea."), STOP, none], "Tea.", what)


@says("usage comes in a chunk of its own, and null after it does not take it away")
def test_usage(assemble: Any) -> None:
    chunks = [{**said("Tea."), "usage": None}, STOP, {"choices": [], "usage": USED}, {"choices": [], "usage": None}]
    expect(_assembled(assemble, chunks, "with usage")[2], USED, "with usage in the last but one chunk:")
    expect(_assembled(assemble, [said("Tea."), STOP], "without usage")[2], None, "usage that never came:")


@says("null for a content, or none, is no text")
def test_null(assemble: Any) -> None:
    chunks = [said(None), said("Tea."), _chunk({"role": "assistant"}), {"choices": [{"index": 0}]}, STOP]
    _text(assemble, chunks, "Tea.", "with contents that are null or missing")


def test_a_call_is_put_together_from_its_pieces(assemble: Any) -> None:
    chunks = [_wish(0, "c1", "price", ""), _wish(0, arguments='{"item"'), _wish(0, arguments=':"tea"}'), CALLS]
    _calls(assemble, chunks, [TEA], "for a call in three pieces")


def test_the_index_says_which_call_a_piece_belongs_to(assemble: Any) -> None:
    chunks = [
        *[_wish(0, "c1", "price", '{"item":'), _wish(1, "c2", "price", '{"item":')],
        *[_wish(0, arguments='"tea"}'), _wish(1, arguments='"cake"}'), CALLS],
    ]
    _calls(assemble, chunks, [TEA, CAKE], "for two calls in turn")
    two = _chunk({"tool_calls": [chunk["choices"][0]["delta"]["tool_calls"][0] for chunk in chunks[:2]]})
    _calls(assemble, [two, *chunks[2:]], [TEA, CAKE], "for pieces of two calls in one chunk")
    turned = [_wish(1, "c2", "price", '{"item":"cake"}'), _wish(0, "c1", "price", '{"item":"tea"}'), CALLS]
    _calls(assemble, turned, [CAKE, TEA], "for index 1 before 0, in the order in which they began,")


@says("an index may begin with 1, and makes no phantom call")
def test_from_one(assemble: Any) -> None:
    chunks = [_wish(1, "c1", "price", '{"item":"tea"}'), _wish(2, "c2", "price", '{"item":"cake"}'), CALLS]
    _calls(assemble, chunks, [TEA, CAKE], "with the indices 1 and 2")


@says("an id or a name that is repeated makes no second call, and is not doubled")
def test_repeated(assemble: Any) -> None:
    chunks = [_wish(0, "c1", "price", '{"item":'), _wish(0, "c1", "price", '"tea"}'), CALLS]
    _calls(assemble, chunks, [TEA], "with id and name in each piece")


@says("arguments may be null, or not come at all: {}")
def test_no_arguments(assemble: Any) -> None:
    null: dict[str, Any] = {"index": 0, "id": "c1", "function": {"name": "price", "arguments": None}}
    chunks = [_chunk({"tool_calls": [null]}), _wish(0, arguments='{"item":"tea"}'), CALLS]
    _calls(assemble, chunks, [TEA], "with arguments null in the first piece")
    _calls(assemble, [_wish(0, "c1", "now"), CALLS], [("c1", "now", {})], "without arguments")
    _calls(assemble, [said("Hi", "stop"), _chunk({"tool_calls": None})], [], "with tool_calls null")


@says("without a finish reason it is a NetworkError, and no short answer")
def test_unfinished(assemble: Any) -> None:
    half = _wish(0, "c1", "price", '{"item":')
    for chunks, what in (([said("Tea costs")], "two words"), ([half], "half a call"), ([], "no chunk at all")):
        try:
            found = assemble(list(chunks))
        except NetworkError:
            continue
        except Exception as problem:
            raise AssertionError(f"for {what} expected NetworkError, it raised {exception_text(problem)}") from None
        raise AssertionError(f"for {what} and no finish reason it returned {shown(found)}")


@says("the finish reason counts also when chunks come after it")
def test_finished(assemble: Any) -> None:
    _text(assemble, [said("Tea."), STOP, {"choices": [], "usage": USED}], "Tea.", "with usage after the finish reason")
    _text(assemble, [said("Tea.", "stop"), said("")], "Tea.", "with a finish reason beside the text")


ASSEMBLE = Exercise(
    id="12.2",
    title="From deltas to the message",
    thing="assemble",
    wants="a function assemble(chunks)",
    fits=is_returning_function,
    starter="""
def assemble(chunks):
    text, calls, usage = "", [], None
    for chunk in chunks:
        delta = chunk["choices"][0]["delta"]
        text += delta["content"]
        for piece in delta.get("tool_calls", []):
            calls.append((piece["id"], piece["function"]["name"], json.loads(piece["function"]["arguments"])))
    return text, calls, usage
""",
    hints=[
        "Loop over the choices instead of taking the first: of none, a loop makes none. And what may be missing or null is "
        'read with `.get(...) or ...`: `delta.get("content") or ""`.',
        "Keep the calls in a dict by their index, each a small dict of three texts: id, name, arguments. "
        "`calls.setdefault(index, {...})` finds the call or begins it. Arguments are added, id and name replaced.",
        'Parse the arguments once, after the last chunk: `json.loads(call["arguments"] or "{}")`. Remember the finish '
        'reason as you go; if it is still `None` then, `raise NetworkError("...")` before you parse.',
    ],
    solution="""
def assemble(chunks):
    text, calls, usage, finish = "", {}, None, None
    for chunk in chunks:
        usage = chunk.get("usage") or usage
        for choice in chunk.get("choices") or []:
            finish = choice.get("finish_reason") or finish
            delta = choice.get("delta") or {}
            text += delta.get("content") or ""
            for piece in delta.get("tool_calls") or []:
                call = calls.setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
                function = piece.get("function") or {}
                call["id"] = piece.get("id") or call["id"]
                call["name"] = function.get("name") or call["name"]
                call["arguments"] += function.get("arguments") or ""
    if finish is None:
        raise NetworkError("the stream ended without a finish reason")
    made = [(call["id"], call["name"], json.loads(call["arguments"] or "{}")) for call in calls.values()]
    return text, made, usage
""",
    tests=[
        test_text_is_joined,
        test_no_choices,
        test_usage,
        test_null,
        test_a_call_is_put_together_from_its_pieces,
        test_the_index_says_which_call_a_piece_belongs_to,
        test_from_one,
        test_repeated,
        test_no_arguments,
        test_unfinished,
        test_finished,
        by_hand(ChatAssembler),
    ],
    mutants=[
        Mutant(
            "lets the package assemble",
            "def assemble(chunks):\n",
            """def assemble(chunks):
    answer = ChatAssembler()
    for chunk in chunks:
        answer.feed(chunk)
    body = answer.body()
    message = body["choices"][0]["message"]
    calls = [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"] or "{}"))
             for call in message.get("tool_calls") or []]
    return message["content"] or "", calls, body.get("usage")

def unused(chunks):
""",
            "test_by_hand",
            "Then the eight habits of section 8 stay somebody else's knowledge.",
        ),
        Mutant(
            "takes the first choice",
            'for choice in chunk.get("choices") or []:',
            'for choice in [chunk["choices"][0]]:',
            "test_no_choices",
            "The chunk with the usage has no choice at all: IndexError, after a good answer was paid for.",
        ),
        Mutant(
            "reads the usage of the last chunk",
            'chunk.get("usage") or usage',
            'chunk.get("usage")',
            "test_usage",
            "The usage comes once; any chunk after it would take it away again.",
        ),
        Mutant(
            "counts unknown usage as nothing",
            'text, calls, usage, finish = "", {}, None, None',
            'text, calls, usage, finish = "", {}, {"prompt_tokens": 0, "completion_tokens": 0}, None',
            "test_usage",
            "Unknown is not zero: a budget would believe that the answer was free.",
        ),
        Mutant(
            "adds whatever stands in the content",
            'text += delta.get("content") or ""',
            'text += delta.get("content", "")',
            "test_null",
            "A default counts only where the field is missing; null is there.",
        ),
        Mutant(
            "keeps the last piece of the arguments",
            'call["arguments"] += function',
            'call["arguments"] = function',
            "test_a_call_is_put_together_from_its_pieces",
            "Arguments are text in pieces, as the content is.",
        ),
        Mutant(
            "keeps one call only",
            'calls.setdefault(piece["index"],',
            "calls.setdefault(0,",
            "test_the_index_says_which_call_a_piece_belongs_to",
            "A model may ask for several things at once, and their pieces may come in turn.",
        ),
        Mutant(
            "tells calls apart by their id",
            'calls.setdefault(piece["index"],',
            'calls.setdefault(piece.get("id"),',
            "test_a_call_is_put_together_from_its_pieces",
            "The id mostly comes with the first piece only; all others would be a call without a name.",
        ),
        Mutant(
            "uses the index as a place in a list",
            "for call in calls.values()]",
            'for call in (calls.get(n, {"id": "", "name": "", "arguments": ""}) for n in range(max(calls, default=-1) + 1))]',
            "test_from_one",
            "An index tells calls apart; nobody promised that it begins with 0.",
        ),
        Mutant(
            "sorts the calls by index",
            "for call in calls.values()]",
            "for _, call in sorted(calls.items())]",
            "test_the_index_says_which_call_a_piece_belongs_to",
            "The index is a label and no place; the order is the one in which the calls began.",
        ),
        Mutant(
            "adds the name each time",
            'call["name"] = function.get("name") or call["name"]',
            'call["name"] += function.get("name") or ""',
            "test_repeated",
            "Some servers send id and name with each piece: priceprice is no tool.",
        ),
        Mutant(
            "adds whatever stands in the arguments",
            'function.get("arguments") or ""',
            'function.get("arguments", "")',
            "test_no_arguments",
            "Null is what some servers send in the first piece of a call.",
        ),
        Mutant(
            "parses arguments that never came",
            'json.loads(call["arguments"] or "{}")',
            'json.loads(call["arguments"])',
            "test_no_arguments",
            "A tool without parameters needs no arguments, and empty text is no JSON.",
        ),
        Mutant(
            "takes the end of the chunks for the end of the answer",
            """    if finish is None:
        raise NetworkError("the stream ended without a finish reason")
""",
            "",
            "test_unfinished",
            "Half an answer reads like a short one; only the finish reason tells them apart.",
        ),
        Mutant(
            "looks at the last finish reason only",
            'choice.get("finish_reason") or finish',
            'choice.get("finish_reason")',
            "test_finished",
            "It comes once; a later chunk with null does not take it back.",
        ),
    ],
    world=world,
)


# ---- 12.3 -----------------------------------------------------------------------------------------------------------

WORDS = ("complete", "stopped", "limit", "failed", "broken", "encoding")
_FAILED = {"error": {"message": "The server had an error while processing your request.", "type": "server_error"}}
_PING = b": ping\r\n\r\n"
_TEA = sse(said("Tea costs "), said("12."), STOP)
_LENGTH = {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}

STREAMS: dict[str, list[bytes]] = {  # as they were recorded, piece by piece
    "A": cut(
        sse(said("你好，茶"), said(" 12 元。"), STOP).replace(b"\n", b"\r\n").replace(b"data: [", _PING + b"data: ["),
        37,
    ),
    "B": cut(sse(said("Tea costs 12"), said(" coins."), end=""), 50),
    "C": cut(sse(said("Tea costs "), said("12 coins, and a cake "), _LENGTH), 50),
    "D": cut(sse(said("Tea costs "), _FAILED), 50),
    "E": cut(sse(said("茶 12 元。"), STOP).decode().encode("gbk"), 50),
    "F": cut(_TEA.replace(b'"12."}', b'"12.'), 50),
    "G": cut(sse(said("Tea costs "), said("12."), STOP, {"choices": [], "usage": USED}, end=""), 50),
}
FAULTS = {"A": "complete", "B": "stopped", "C": "limit", "D": "failed", "E": "encoding", "F": "broken", "G": "complete"}
CLUES = {
    "A": "a comment and CRLF are allowed; look at what the response says at the end",
    "B": "read the last event, not the text: what should stand in it?",
    "C": "there is a finish reason; read which",
    "D": "the last event is well-formed JSON; read it",
    "E": "every event is JSON, and a finish reason came; now look at the text, and at the bytes in frames",
    "F": "read each event to its end: which of them would a reader of JSON refuse?",
    "G": "the last word is missing; what decides whether an answer is whole?",
}


def _named(letter: str) -> Any:
    @says(f"the word for {letter} fits what came")
    def test(faults: dict[str, str]) -> None:
        assert letter in faults, f"{letter} has no word yet"
        word = faults[letter]
        assert word in WORDS, f"{shown(word)} is none of the words: {', '.join(WORDS)}"
        assert word == FAULTS[letter], f"not {word!r}: {CLUES[letter]}"

    test.__name__ = f"test_{letter.lower()}"
    return test


FIND = Exercise(
    id="12.3",
    title="Find the fault",
    thing="faults",
    wants='a dict with a word for each stream: {"A": "complete", ...}',
    fits=lambda thing: isinstance(thing, dict),
    starter="""
faults = {
    "A": "broken",
    "B": "complete",
    "C": "complete",
    "D": "complete",
    "E": "complete",
    "F": "complete",
    "G": "stopped",
}
""",
    hints=[
        "Read from the end: is there an event with a finish reason? Which? Is every event before it JSON, and the text in "
        'it readable? To see more, step: `step_stream(STREAMS["B"])`.',
        "The finish reason decides: none is `stopped`, `length` is `limit`. But an event can also be an error that the "
        "service tells in well-formed JSON, or no JSON at all.",
        "`encoding` has � in its text: in the stepper these bytes stand in frames, and not at a cut. Two streams are "
        "complete.",
    ],
    solution="""
faults = {
    "A": "complete",
    "B": "stopped",
    "C": "limit",
    "D": "failed",
    "E": "encoding",
    "F": "broken",
    "G": "complete",
}
""",
    tests=[_named(letter) for letter in STREAMS],
    mutants=[
        Mutant(
            "takes a comment for a fault",
            '"A": "complete"',
            '"A": "broken"',
            "test_a",
            "A comment keeps the connection open; a reader passes over it.",
        ),
        Mutant(
            "takes a cut inside a character for a fault",
            '"A": "complete"',
            '"A": "encoding"',
            "test_a",
            "Half a character at the end of a piece is no fault: its other half begins the next one.",
        ),
        Mutant(
            "believes a text that reads well",
            '"B": "stopped"',
            '"B": "complete"',
            "test_b",
            "A sentence may end where the connection did; only the finish reason tells.",
        ),
        Mutant(
            "takes the limit for a break",
            '"C": "limit"',
            '"C": "stopped"',
            "test_c",
            "The stream is whole, and says itself that the model was not: finish reason length.",
        ),
        Mutant(
            "takes a failure for a broken event",
            '"D": "failed"',
            '"D": "broken"',
            "test_d",
            "The event is good JSON, in which the service says what happened to it.",
        ),
        Mutant(
            "does not look at the bytes",
            '"E": "encoding"',
            '"E": "complete"',
            "test_e",
            "JSON and finish reason are there, and the text is spoiled all the same.",
        ),
        Mutant(
            "takes half an event for the end",
            '"F": "broken"',
            '"F": "stopped"',
            "test_f",
            "The bytes go on after it; one event in the middle is no JSON.",
        ),
        Mutant(
            "wants the last word",
            '"G": "complete"',
            '"G": "stopped"',
            "test_g",
            "Some servers leave [DONE] out; the finish reason had come.",
        ),
    ],
    world=world,
)


# ---- 12.4 -----------------------------------------------------------------------------------------------------------

READER = """
def events_of(pieces):
    reader = EventReader()
    for piece in pieces:
        yield from reader.feed(piece)

def reader(pieces):
    text, finish, last = "", None, ""
    for event in events_of(pieces):
        last = event.data
        if last == "[DONE]":
            break
        for choice in json.loads(last).get("choices") or []:
            text += (choice.get("delta") or {}).get("content") or ""
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise NetworkError("the stream ended without a finish reason")
    return text
"""

BY_ASSEMBLER = """
def reader(pieces):
    events, answer = EventReader(), ChatAssembler()
    for piece in pieces:
        for event in events.feed(piece):
            if event.data != "[DONE]":
                answer.feed(json.loads(event.data))
    return answer.body()["choices"][0]["message"]["content"]
"""

made_reader = partial(made, thing="reader", world=world)
RAISE = """    if finish is None:
        raise NetworkError("the stream ended without a finish reason")
"""

BROKEN = [
    Broken(
        "returns a short answer for a cut stream", RAISE, "", "Half an answer is handed on as if it were the whole."
    ),
    Broken(
        "raises only when no text came",
        "if finish is None:",
        "if not text:",
        "Most cut streams have some text; that is what makes them look right.",
    ),
    Broken(
        "returns an empty text for a cut stream",
        'raise NetworkError("the stream ended without a finish reason")',
        'return ""',
        "An empty answer is an answer; nobody will ask again.",
    ),
    Broken(
        "believes [DONE] without a finish reason",
        "if finish is None:",
        'if finish is None and last != "[DONE]":',
        "A proxy that gives up may still say goodbye.",
    ),
    Broken(
        "refuses an answer without [DONE]",
        "if finish is None:",
        'if finish is None or last != "[DONE]":',
        "The answer was whole, and is paid for twice.",
    ),
    Broken(
        "decodes each piece by itself",
        "reader.feed(piece)",
        'reader.feed(piece.decode(errors="replace").encode())',
        "A character that is cut is lost, and nobody is told.",
    ),
    Broken(
        "reads each piece by itself",
        "    reader = EventReader()\n    for piece in pieces:\n",
        "    for piece in pieces:\n        reader = EventReader()\n",
        "An event that is cut in two is dropped.",
    ),
    Broken(
        "wants a choice in every chunk",
        'for choice in json.loads(last).get("choices") or []:',
        'for choice in [json.loads(last)["choices"][0]]:',
        "The usage comes without one.",
    ),
]

WRITE_THE_TEST = Exercise(
    id="12.4",
    title="Write the test",
    thing="check_reader",
    wants="a function check_reader(reader), which asserts",
    fits=is_function,
    starter="""
def check_reader(reader):
    body = sse(said("你"), said("好", "stop"))
    assert reader([body]) == "你好"
""",
    hints=[
        "Three questions: does it read what is whole, however it is cut? Does it refuse what is not whole, whatever the end "
        "looks like? And what may a whole answer lack?",
        'Whole: `for size in (1, 2, 3, 5, 50)` over `cut(body, size)`, with and without `end=""`, and with a chunk '
        '`{"choices": [], "usage": None}`. Not whole: no chunk has a finish reason, with `[DONE]` and without.',
        "For what is not whole: `try: answer = reader(pieces)`, `except NetworkError: continue`, and after it "
        "`raise AssertionError(...)`. A test that only calls it would pass a reader that returns.",
    ],
    solution="""
def check_reader(reader):
    usage = {"choices": [], "usage": None}
    for end in ("data: [DONE]\\n\\n", ""):
        body = sse(said("你"), said("好"), said(None, "stop"), usage, end=end)
        for size in (1, 2, 3, 5, 50, len(body)):
            assert reader(cut(body, size)) == "你好", f"pieces of {size} bytes, end {end!r}"
        for chunks in ([], [said("你")], [said("你"), said("好"), usage]):
            try:
                answer = reader([sse(*chunks, end=end)])
            except NetworkError:
                continue
            raise AssertionError(f"{len(chunks)} chunks and no finish reason, and it returned {answer!r}")
""",
    tests=judge(
        {
            "a reader of its own": lambda: made_reader(READER),
            "a reader made of the package's parts": lambda: made_reader(BY_ASSEMBLER),
        },
        BROKEN,
        READER,
        made_reader,
        "reader",
    ),
    wrong_tests=[
        WrongTest(
            "reads whole answers only",
            """
def check_reader(reader):
    body = sse(said("你"), said("好", "stop"))
    for size in range(1, len(body)):
        assert reader(cut(body, size)) == "你好"
""",
            "rejects a reader that returns a short answer for a cut stream",
            "How a reader behaves when all is well says nothing about the day on which it is not.",
        ),
        WrongTest(
            "cuts an empty stream only",
            """
def check_reader(reader):
    try:
        reader([])
    except NetworkError:
        return
    raise AssertionError("nothing came, and it answered")
""",
            "rejects a reader that raises only when no text came",
            "A cut stream mostly has some text.",
        ),
        WrongTest(
            "is content with a shorter text",
            """
def check_reader(reader):
    try:
        assert reader([sse(said("你"), end="")]) != "你好"
    except NetworkError:
        pass
""",
            "rejects a reader that returns an empty text for a cut stream",
            "Not the whole answer is not enough: there must be no answer.",
        ),
        WrongTest(
            "cuts only what ends without [DONE]",
            """
def check_reader(reader):
    try:
        answer = reader([sse(said("你"), end="")])
    except NetworkError:
        return
    raise AssertionError(f"cut, and it returned {answer!r}")
""",
            "rejects a reader that believes [DONE] without a finish reason",
            "The last word of the stream and the end of the answer are two things.",
        ),
        WrongTest(
            "demands the last word",
            """
def check_reader(reader):
    try:
        answer = reader([sse(said("你", "stop"), end="")])
    except NetworkError:
        return
    raise AssertionError(f"no [DONE], and it returned {answer!r}")
""",
            "accepts a reader of its own",
            "With a finish reason the answer is whole; the task says that [DONE] may be missing.",
        ),
        WrongTest(
            "cuts between events",
            """
def check_reader(reader):
    parts = [sse(said("你"), end=""), sse(said("好", "stop"))]
    assert reader(parts) == "你好"
    try:
        answer = reader(parts[:1])
    except NetworkError:
        return
    raise AssertionError(f"cut, and it returned {answer!r}")
""",
            "rejects a reader that decodes each piece by itself",
            "A network does not know where events end, nor characters.",
        ),
    ],
    world=world,
)

EXERCISES = (EVENTS, ASSEMBLE, FIND, WRITE_THE_TEST)


# ---- predictions and quiz -------------------------------------------------------------------------------------------

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "Two bytes of 你 come in one piece, the third in the next. Each piece is decoded by itself, with piece.decode(). "
        "What happens?",
        [
            Choice(
                "Nothing special: decode waits for the rest.",
                False,
                "It sees one piece and knows of no other. An incremental decoder waits.",
            ),
            Choice(
                "An error at the first piece: UnicodeDecodeError.",
                True,
                "Two of three bytes are no text. Most answers in English never show it.",
            ),
            Choice(
                "An odd sign appears in its place, and the text goes on.",
                False,
                'Only with errors="replace", and then two of them appear.',
            ),
        ],
    ),
    Question(
        "Four events have come: the beginning, 你好, ，茶 and “ 1”. Then the bytes end. What does by_hand return?",
        [
            Choice(
                "“你好，茶 1”, as if that were the answer.",
                True,
                "Its loop ends when the pieces do. Nothing in it asks whether the answer was whole.",
            ),
            Choice(
                "Nothing: it raises, since [DONE] never came.", False, "It passes over [DONE], and never waits for it."
            ),
            Choice("An empty text: no event said that it is whole.", False, "It adds each delta as it comes."),
        ],
    ),
    Question(
        "The service is down. You ask once, with the client's defaults, and get one exception. How many requests arrived?",
        [
            Choice(
                "One: one question, one exception.", False, "The exception is the last one; the others were kept quiet."
            ),
            Choice(
                "Two: it tries once more, to be sure.",
                False,
                "Close: it tries again twice, and the first try counts too.",
            ),
            Choice("Three: one, and two retries.", True, "Two retries are the default, with waits between them."),
        ],
    ),
)

QUIZ = Quiz(
    "12",
    [
        Question(
            "A mock patches httpx. After an update of the vendor's client, the tests reach the network. Why?",
            [
                Choice(
                    "The mock's rules no longer fit.",
                    False,
                    "Then the mock would have said so; nobody asked it.",
                ),
                Choice(
                    "The client now stands on another library, and what is patched is no longer on its way.",
                    True,
                    "So hand the transport in: what is an argument cannot be missed in silence.",
                ),
                Choice("The key has expired.", False, "A mock takes any key; here nobody asked it."),
                Choice("Real services answer faster than mocks.", False, "Nobody races here."),
            ],
        ),
        Question(
            "Why is a piece of bytes no event?",
            [
                Choice(
                    "Because of SSE: an event may have several data lines.",
                    False,
                    "True, and it says nothing about where the network cuts.",
                ),
                Choice("Because a piece is always one byte.", False, "It may have any size, also that of many events."),
                Choice("The network cuts where it likes.", True, "So keep what is left over, and read by empty lines."),
                Choice(
                    "It is one, as long as everything is ASCII.", False, "An ASCII event is cut as easily as any other."
                ),
            ],
        ),
        Question(
            "When may an agent run a tool whose call is streamed?",
            [
                Choice("As soon as its name has come.", False, "Without arguments there is nothing to run it with."),
                Choice(
                    "As soon as the arguments can be parsed.",
                    False,
                    "12 parses as well, before 125 has come. And half a stream may be all there is.",
                ),
                Choice("After the finish reason.", True, "Only then are all calls there, and whole."),
                Choice("After the chunk with the usage.", False, "It comes only where somebody asked for it."),
            ],
        ),
        Question(
            "A stream has ended. Which of these makes the answer whole?",
            [
                Choice("A finish reason has come.", True, "It is the service's word for: this is all, and why."),
                Choice(
                    "Its text ends with a full stop, and no event was broken.",
                    False,
                    "Half an answer has full stops too.",
                ),
                Choice(
                    "[DONE] has come.",
                    False,
                    "It ends the stream; a proxy may say it as well, and some servers never do.",
                ),
                Choice(
                    "The connection was closed without an error.", False, "Proxies close politely when they give up."
                ),
            ],
        ),
        Question(
            "The service answers 400: a tool message without its call. Where is the fault?",
            [
                Choice("In the service: ask again.", False, "The same request will be refused again."),
                Choice(
                    "In whoever built the history: a call was dropped, and its result was kept.",
                    True,
                    "For example by cutting old messages off at a fixed number. Each result needs its call before it.",
                ),
                Choice(
                    "In the model, which made up an id.", False, "The model does not write the history; your code does."
                ),
                Choice("In the tool.", False, "Its result came, and was sent."),
            ],
        ),
    ],
)
