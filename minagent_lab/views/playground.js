// Makes editors of the playground's text areas: line numbers, problems marked at their lines, the cursor put where a
// problem is, and Ctrl+Enter that runs the text instead of the notebook's cell. What is read and what is wrong with it
// is told by Python, in the trait `frame`.
const PARTS = ["prompt", "script", "tools"];
const OWN_KEYS = ["z", "y", "a", "c", "x", "v"]; // undo, redo, all, copy, cut, paste: of the text, not of the notebook
const QUIET = 900; // milliseconds without typing, before what is wrong is read aloud

function node(tag, name) {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}

function drawGutter(gutter, lines, bad) {
  const key = `${lines}:${bad}`;
  if (gutter.labKey === key) return;
  gutter.labKey = key;
  gutter.replaceChildren(...Array.from({ length: lines }, (_, at) => {
    const line = node("div", bad.includes(at + 1) ? "pg-bad" : "");
    line.textContent = bad.includes(at + 1) ? `✕ ${at + 1}` : at + 1;
    return line;
  }));
}

class Editor {
  constructor(box, part) {
    this.area = box.querySelector("textarea");
    this.errors = box.querySelector(".pg-errors");
    this.errors.id = `pg-errors-${part}-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    this.area.wrap = "off";
    this.area.spellcheck = false;
    this.area.setAttribute("autocomplete", "off");
    this.area.setAttribute("aria-describedby", this.errors.id);
    this.area.parentElement.querySelector(".pg-gutter")?.remove();
    this.gutter = node("div", "pg-gutter");
    this.gutter.setAttribute("aria-hidden", "true");
    this.area.before(this.gutter);
    this.bad = [];
    this.area.addEventListener("input", () => this.draw());
    this.area.addEventListener("scroll", () => (this.gutter.scrollTop = this.area.scrollTop));
  }

  show({ lines, bad }) {
    this.bad = bad;
    if (bad.length) this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
    this.draw(lines);
  }

  draw(lines = this.area.value.split("\n").length) {
    drawGutter(this.gutter, lines, this.bad);
    this.gutter.scrollTop = this.area.scrollTop;
  }

  go(at) { // counted in whole characters, as Python counts
    const before = [...this.area.value].slice(0, at).join("");
    this.area.focus();
    this.area.setSelectionRange(before.length, before.length);
    const line = before.split("\n").length - 1, height = parseFloat(getComputedStyle(this.area).lineHeight) || 18;
    this.area.scrollTop = Math.max(0, (line - 3) * height);
    const column = before.length - before.lastIndexOf("\n") - 1;
    this.area.scrollLeft = column > 40 ? (column - 30) * 8 : 0;
  }
}

async function toClipboard(code, shown) {
  try {
    await navigator.clipboard.writeText(code);
    return true;
  } catch { // not a secure page, or the reader said no: select it, so that one key copies it
    if (!shown) return false;
    shown.readOnly = true;
    shown.value = code; // what Python sends to the area itself may come a moment later
    shown.focus();
    shown.select();
    return false;
  }
}

export default {
  render({ model, el }) {
    let root = null, waiting = 0, speaking = 0;
    const editors = {};
    const heard = node("p", "pg-heard");
    heard.setAttribute("role", "status");
    el.append(heard);

    const texts = () => Object.fromEntries(PARTS.map((part) => [part, editors[part].area.value]));
    const onKey = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.isComposing || event.defaultPrevented) return;
      const early = event.eventPhase === Event.CAPTURING_PHASE, run = event.target.closest(".lab-root");
      if (early === Boolean(run)) return; // the run has its own keys, and gets them first
      if (event.key === "Enter") {
        event.preventDefault();
        event.stopPropagation();
        model.send({ op: "run", texts: texts() });
      } else if (event.target.matches("textarea, input") && OWN_KEYS.includes(event.key.toLowerCase())) {
        event.stopPropagation();
      }
    };
    const onClick = (event) => {
      const button = event.target.closest(".pg-errors button");
      if (button) editors[button.dataset.part]?.go(Number(button.dataset.at));
    };
    const speak = () => {
      clearTimeout(speaking);
      speaking = setTimeout(() => {
        const words = model.get("frame").status || "";
        if (heard.textContent !== words) heard.textContent = words;
      }, QUIET);
    };
    const draw = () => {
      const frame = model.get("frame");
      for (const part of PARTS) if (frame[part]) editors[part]?.show(frame[part]);
      speak();
    };
    const onMessage = async (message) => {
      if (message.op === "go") editors[message.part]?.go(message.at);
      if (message.op === "copy") {
        const shown = root?.querySelector(".pg-code textarea");
        model.send({ op: "copied", done: await toClipboard(message.code, shown) });
      }
    };
    const attach = () => {
      root = el.closest(".lab-playground");
      const boxes = root ? PARTS.map((part) => root.querySelector(`.pg-edit-${part}`)) : [];
      if (!root || boxes.some((box) => !box?.querySelector("textarea") || !box.querySelector(".pg-errors"))) {
        waiting = setTimeout(attach, 30);
        return;
      }
      PARTS.forEach((part, at) => (editors[part] = new Editor(boxes[at], part)));
      root.style.setProperty("--lab-scale", model.get("scale"));
      root.addEventListener("keydown", onKey, true);
      root.addEventListener("keydown", onKey);
      root.addEventListener("click", onClick);
      draw();
    };

    model.on("change:frame", draw);
    model.on("msg:custom", onMessage);
    attach();
    return () => {
      clearTimeout(waiting);
      clearTimeout(speaking);
      model.off("change:frame", draw);
      model.off("msg:custom", onMessage);
      root?.removeEventListener("keydown", onKey, true);
      root?.removeEventListener("keydown", onKey);
      root?.removeEventListener("click", onClick);
    };
  },
};
