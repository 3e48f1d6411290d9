// Steps through an exported run. Without it, all calls stand below one another.
{
  const calls = [...document.querySelectorAll("section")], nav = document.querySelector("nav");
  const status = nav.querySelector("[role=status]"), others = [...document.querySelectorAll("main > .lab-none")];
  let shown = calls.length; // that is: all
  const show = (at) => {
    const before = shown;
    shown = Math.min(Math.max(at, 0), calls.length);
    calls.forEach((call, place) => (call.hidden = shown < calls.length && place !== shown));
    others.forEach((note) => (note.hidden = shown < calls.length));
    if (before !== shown) status.textContent = shown < calls.length ? calls[shown].getAttribute("aria-label") : "All calls";
  };
  const last = calls.length - 1, all = calls.length;
  const moves = {
    first: () => show(0), last: () => show(last), all: () => show(all),
    back: () => show(shown === all ? last : shown - 1), next: () => show(shown === all ? 0 : Math.min(shown + 1, last)),
  };
  const keys = { ArrowRight: "next", ArrowLeft: "back", PageDown: "next", PageUp: "back", Home: "first", End: "last", Escape: "all" };
  nav.hidden = calls.length < 2;
  nav.addEventListener("click", (event) => moves[event.target.dataset.move]?.());
  addEventListener("keydown", (event) => {
    const move = keys[event.key];
    if (!move || nav.hidden || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target.closest?.(".lab-full")) return; // a long text scrolls
    event.preventDefault();
    moves[move]();
  });
}
