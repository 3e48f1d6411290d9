// Keys, which must not reach the notebook; and what a press says when nobody answers it.

const KEYS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", Home: "first", End: "last" };
const CLICKER = ["r", "R", "b", "B", "."]; // with an audience: a clicker's key for a black screen reveals the script
const OWN = "input, textarea, select, [contenteditable=true], [role=slider], [role=tab], [data-own-keys]";
const GONE = "The kernel that made this view is gone. Run the cell again.";
const SOON = 400, LATE = 8000; // milliseconds after which a press that nobody has answered says so

function scrolls(target, key) { // a pane with the focus that has more to show keeps the keys that show it
  const pane = target.closest(".lab-hist, .lab-full, .lab-src");
  if (!pane) return false;
  return key.startsWith("Arrow") ? pane.scrollWidth > pane.clientWidth : pane.scrollHeight > pane.clientHeight;
}

function ownKeys(root, part, model, line) {
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Escape" || event.key === "Tab") return;
    event.stopPropagation(); // in the notebook, d d would delete the cell
    if (event.key === "Enter" && (event.shiftKey || event.repeat)) return event.preventDefault(); // else it would press the button
    if (event.key === "F5" && root.matches(".lab-present")) return event.preventDefault(); // a clicker's key for "start"
    if (event.shiftKey || event.isComposing || event.defaultPrevented) return;
    if (event.key === "Enter" && event.target.matches(".lab-ask input")) return pressInQuestion(part, line, part.ask.querySelector(".lab-check"));
    if (event.target.closest(OWN) || keyOnChip(event, part)) return;
    if (CLICKER.includes(event.key) && root.matches(".lab-present")) return line.send({ op: "reveal" });
    const op = KEYS[event.key];
    if (!op || scrolls(event.target, event.key)) return;
    event.preventDefault();
    if (event.repeat && model.get("frame").frontier) return; // a key held down asks the model once
    line.press(op, event.repeat);
  };
  root.addEventListener("keydown", onKey);
  return () => root.removeEventListener("keydown", onKey);
}

function ownClicks(root, part, line) {
  const onClick = (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const swallow = () => (event.preventDefault(), event.stopImmediatePropagation());
    if (line.gone()) return swallow(), line.sayGone();
    if (button.matches(".lab-check, .lab-go")) return pressInQuestion(part, line, button);
    if (button.matches(".lab-copy")) return copyCode(button.closest(".lab-pane"), line);
    if (!button.matches(".lab-next, .lab-run")) return;
    if (line.busy) swallow();
    else line.expect();
  };
  root.addEventListener("click", onClick, true); // before the button's own handler
  return () => root.removeEventListener("click", onClick, true);
}

async function copyCode(pane, line) {
  const field = pane.querySelector("textarea");
  try {
    await navigator.clipboard.writeText(field.value);
    line.say("Copied.");
  } catch { // not allowed, or not a secure page
    field.focus();
    field.select();
    line.say("The code is selected: press Ctrl+C (on a Mac ⌘C).");
  }
}

// ---- the line to the kernel

function openLine(model, part) {
  let timers = [];
  const line = {
    root: null,
    busy: false,
    gone: () => !!line.root?.classList.contains("jupyter-widgets-disconnected") || isShutDown(model.widget_manager),
    say: (words) => setHtml(part.now, words),
    send(message) {
      if (line.gone()) return line.sayGone();
      try {
        model.send(message);
      } catch {
        line.sayGone();
      }
    },
    press(op, repeat = false) {
      if (line.busy && op === "next") return;
      if (op === "next") line.expect();
      line.send({ op, repeat });
    },
    expect() { // nothing is said where the answer comes at once
      const frame = model.get("frame");
      if (!frame.frontier || frame.off.next || line.gone()) return;
      line.heard();
      timers = [
        setTimeout(() => line.gone() ? line.sayGone() : (line.busy = true, setAttribute(line.root, "aria-busy", "true"), line.say("Asking the model …")), SOON),
        setTimeout(() => line.say("Asking the model … No answer yet: it is slow, or the kernel is busy, or gone."), LATE),
      ];
    },
    heard() {
      timers.forEach(clearTimeout);
      line.busy = false;
      line.root?.removeAttribute("aria-busy");
    },
    sayGone() {
      line.heard();
      line.stop();
      line.say(GONE);
    },
    stop() {},
  };
  return line;
}

function isShutDown(manager) { // JupyterLab's own; elsewhere nobody says so, and a press gets no answer
  if (!manager || !("kernel" in manager)) return false;
  return !manager.kernel || manager.kernel.isDisposed || manager.kernel.status === "dead";
}

function watchLine(root, line) { // JupyterLab sets a class when the kernel is restarted or lost
  let was = false;
  const look = () => {
    const gone = line.gone();
    if (gone === was) return;
    was = gone;
    if (gone && root.contains(document.activeElement)) root.focus({ preventScroll: true });
    root.querySelectorAll(".lab-transport, .lab-slider, .lab-branches, .lab-panes, .lab-ask").forEach((part) => (part.inert = gone));
    if (gone) line.sayGone();
  };
  const watch = new MutationObserver(look);
  watch.observe(root, { attributeFilter: ["class"] });
  look();
  return () => watch.disconnect();
}
