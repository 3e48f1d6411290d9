import pytest

from minagent_lab import ExplainView, Message
from minagent_lab.mockgpt import MockGPT, Rule

TOOL = {"name": "price", "description": "", "parameters": {"type": "object"}}
MOCK = MockGPT(
    [
        Rule(prompt="tea", tools="price", generator="12"),
        Rule(model="small", generator="Hm."),
        Rule(when=lambda r: r.results, generator="It costs <12>."),
        Rule(prompt="oops", when=lambda r: 1 / 0, generator="?"),
    ]
)


@pytest.fixture
def opened():
    made = []

    def open_view(*arguments, **options):
        made.append(ExplainView(*arguments, **options))
        return made[-1]

    yield open_view
    for view in made:
        view.close()


def test_it_follows_what_is_typed_and_chosen(opened):
    view = opened(MOCK)
    assert view.explanation.winner is None
    view.model.value = "small"
    assert view.explanation.winner == 2
    assert "Rule 2 answers." in view._head.value
    assert MOCK.counts["total"] == 0


def test_the_menu_has_the_models_that_the_rules_name_and_those_given(opened):
    assert [value for _, value in opened(MOCK, models=["large"]).model.options] == ["", "small", "large"]
    assert opened(MockGPT([]), "Hi").model.layout.display == "none"


def test_tools_can_be_taken_off_the_offer(opened):
    view = opened(MOCK, {"messages": [{"role": "user", "content": "tea"}], "tools": [TOOL]})
    assert view.explanation.winner == 1
    view.tools.value = False
    assert view.explanation.winner is None
    assert opened(MOCK, "tea").tools.layout.display == "none"


def test_the_history_is_kept_when_the_prompt_changes(opened):
    history = [Message("user", "tea"), Message("tool", "12", tool_call_id="c1")]
    view = opened(MOCK, {"messages": history})
    view.prompt.value = "cake"
    assert [message.content for message in view.request.messages] == ["cake", "12"]
    assert view.explanation.winner == 3


def test_a_request_without_a_user_message_gets_one_with_the_first_sign(opened):
    view = opened(MOCK, {"messages": [Message("system", "Be kind.")]})
    assert len(view.request.messages) == 1
    view.prompt.value = "t"
    assert [message.role for message in view.request.messages] == ["system", "user"]


def test_a_filter_that_raises_is_said_in_words(opened):
    view = opened(MOCK, "oops")
    assert "rule 4 cannot be asked" in view._head.value
    assert view.last_error is None


def test_what_cannot_be_explained_is_said_in_words(opened):
    view = opened(MockGPT([], select_prompt=lambda request: 1 / 0), "<tea>")
    assert "MOCK_FILTER_FAILED" in view._head.value
    assert view.explanation is None
    assert "select_prompt" in str(view.last_error)
    assert "select_prompt" in view._repr_mimebundle_()["text/html"]


def test_without_a_kernel_the_explanation_is_there_as_text_and_as_html(opened):
    bundle = opened(MOCK, "<tea>")._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[0] == "No rule fits, and there is no fallback: MOCK_RULE_NOT_FOUND."
    assert "&lt;tea&gt;" in bundle["text/html"]
    assert "<tea>" not in bundle["text/html"]


def test_the_field_is_there_where_no_model_can_be_chosen():
    view = ExplainView(MockGPT([Rule(prompt="tea", generator="12")]))
    assert view.model.layout.display == "none"
    assert view.prompt.layout.display != "none"
    view.close()
