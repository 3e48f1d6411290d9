// The stepper's panel. Python sends blocks of HTML once, each under a list and a place, and then one small frame per
// step that says which of them to show. Nothing is rebuilt, so focus, folds, selection and scroll position stay.

const SKELETON = `
<div class="lab-head">
  <div class="lab-pos"></div><div class="lab-now" role="status"></div><div class="lab-model lab-s lab-m"></div>
</div>
<div class="lab-time">
  <div class="lab-overlay" aria-hidden="true"><div class="lab-band"></div><div class="lab-wall"></div></div>
  <div class="k key"><span class="lab-key new"></span>new<br><span class="lab-key old"></span><span class="s">sent </span>again</div>
  <div class="lab-plot lab-ticks" aria-hidden="true"></div>
  <div class="k"><b>Messages<span class="s"> sent</span></b></div><div class="lab-plot lab-bars" role="img"></div>
  <div class="k"><b>Characters<span class="s"> sent</span></b></div><div class="lab-plot lab-bars" aria-hidden="true"></div>
</div>
<div class="lab-grid">
  <div class="lab-main">
    <h3 class="lab-h"><b class="sees"></b><span class="counts"></span><span class="sent r"></span></h3>
    <div class="lab-hist" role="log" aria-live="off" tabindex="0"><ol class="lab-rows" role="list"></ol></div>
    <h3 class="lab-h"><b>What it replied</b><span class="item"></span></h3>
    <div class="lab-answers"></div>
  </div>
  <div class="lab-side" role="group" aria-label="script and loop">
    <div class="lab-script-part"><h3 class="lab-h"><b>Script</b><span class="items"></span></h3><ol class="lab-script" role="list"></ol></div>
    <h3 class="lab-h"><b>The loop</b><span><code>agent_loop</code></span></h3>
    <ol class="lab-src" role="list" tabindex="0" aria-label="source of the loop"></ol>
    <p class="lab-srcnote"></p>
  </div>
</div>`;

const KEYS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", Home: "first", End: "last" };
const OWN = "input, textarea, select, [contenteditable=true], [role=slider], [role=tab], [data-own-keys]";
const FEW = 12; // up to so many calls each has its words on the time line; above, only the one that is shown
const AROUND = 3; // script items shown before and after the cursor

function node(html) {
  const box = document.createElement("template");
  box.innerHTML = html;
  return box.content.firstElementChild;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function setAttribute(element, name, value) {
  if (element && element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function setStyle(element, name, value) { // a custom property that is set again makes all below it be styled again
  if (element && element.style.getPropertyValue(name) !== String(value)) element.style.setProperty(name, value);
}

function setHtml(element, html) {
  if (element.labHtml !== html) element.innerHTML = element.labHtml = html;
}

// ---- what is drawn from a frame

function drawHead(part, frame) {
  setHtml(part.pos, frame.position);
  setHtml(part.now, frame.now);
  setText(part.sees, frame.sees);
  setText(part.counts, frame.counts);
  setText(part.sent, frame.sent);
  setText(part.item, frame.item);
  setAttribute(part.hist, "aria-label", frame.sees);
}

function drawRows(part, items, frame) {
  for (let at = part.rows.children.length; at < items.rows.length; at++) part.rows.append(node(items.rows[at]));
  [...part.rows.children].forEach((row, at) => {
    row.hidden = at >= frame.rows;
    row.classList.toggle("new", at >= frame.fresh && at < frame.rows);
  });
}

function drawAnswer(part, items, frame) {
  for (let at = part.answers.children.length; at < items.answers.length; at++) {
    const box = document.createElement("div");
    box.innerHTML = items.answers[at];
    part.answers.append(box);
  }
  [...part.answers.children].forEach((box, at) => (box.hidden = at !== frame.call));
}

function drawScript(part, items, frame) {
  const next = frame.used; // items used when this call was over
  const middle = Math.min(Math.max(next - 1, AROUND), items.script.length - 1 - AROUND);
  [...part.script.children].forEach((row, at) => {
    const state = at === frame.answering ? "this" : at < next ? "used" : at === next ? "next" : "come";
    if (row.className !== state) row.className = state;
    row.hidden = items.script.length > 2 * AROUND + 1 && Math.abs(at - middle) > AROUND;
    setText(row.querySelector(".w"), { this: "this call", used: "used", next: "next", come: "to come" }[state]);
    if (state === "this") setAttribute(row, "aria-current", "step");
    else row.removeAttribute("aria-current");
  });
}

function drawSource(part, frame) {
  [...part.source.children].forEach((line, at) => {
    const on = at + 1 === frame.line;
    const state = on ? "on" : frame.ran.includes(at + 1) ? "ran" : "not";
    if (line.className !== state) line.className = state;
    setText(line.firstElementChild, state === "not" ? "" : on ? "here: " : "ran: "); // heard, not seen
    if (on) setAttribute(line, "aria-current", "true");
    else line.removeAttribute("aria-current");
  });
  setHtml(part.note, frame.note);
}

function drawTime(part, items, frame, max) {
  const percent = (call) => `${(100 * call) / max}%`;
  items.columns.forEach((column, at) => {
    if (part.bars[0].children.length > at) return;
    const call = at + 1;
    part.bars.forEach((plot, which) => {
      const [all, fresh] = column.bars[which];
      const bar = node(`<div class="lab-col"><div class="lab-stack"><span class="v"></span><i class="new"></i><i class="old"></i></div></div>`);
      bar.style.left = percent(call);
      bar.style.setProperty("--all", all);
      bar.style.setProperty("--new", fresh);
      setText(bar.querySelector(".v"), all.toLocaleString("en-US"));
      plot.append(bar);
    });
  });
  part.bars.forEach((plot, which) => {
    setStyle(plot, "--top", frame.tops[which]);
    [...plot.children].forEach((bar, at) => bar.classList.toggle("on", at + 1 === frame.call));
  });
  setAttribute(part.bars[0], "aria-label", items.columns
    .map((column, at) => describeColumn(column, at + 1)).join("; ") || "no call yet");
  [...part.ticks.children].forEach((tick) => {
    const call = Number(tick.dataset.call), column = items.columns[call - 1];
    const on = call === frame.call, few = max <= FEW;
    tick.classList.toggle("on", on);
    const clear = Math.abs(call - frame.call) >= part.every / 2; // else its number would run into the current one's
    tick.hidden = !(few || on || (clear && (call % part.every === 0 || call === max)) || (column && column.error));
    const event = call === 0 ? "start" : column ? column.event : "";
    const word = tick.querySelector("span");
    setText(word, few || on || (column && column.error) ? event : "");
    word.classList.toggle("err", !!(column && column.error));
  });
  part.band.hidden = frame.call === 0;
  part.band.style.left = percent(frame.call);
  part.wall.classList.toggle("hit", frame.over);
}

function describeColumn({ bars: [messages, characters] }, call) {
  const many = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  return `call ${call}: ${many(messages[0], "message")}, ${messages[1]} new; ${many(characters[0], "character")}, ${characters[1]} new`;
}

function makeTicks(part, max) {
  part.every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((step) => max / step <= FEW) || 10000;
  part.every = max > FEW ? Math.max(part.every, 5) : 1;
  part.time.style.setProperty("--calls", max);
  for (let call = 0; call <= Math.min(max, 2000); call++) {
    const tick = node(`<div class="lab-tick" data-call="${call}">${call}<br><span></span></div>`);
    tick.style.left = `${(100 * call) / max}%`;
    part.ticks.append(tick);
  }
}

// ---- what stock widgets leave out: names, states, and keys that must not reach the notebook

function nameKnob(knob, call, max) { // the slider writes a bare number there each time it moves
  if (!knob) return;
  knob.labText = `call ${call} of at most ${max}`;
  setAttribute(knob, "aria-valuetext", knob.labText);
  knob.labWatch ??= new MutationObserver(() => setAttribute(knob, "aria-valuetext", knob.labText));
  knob.labWatch.observe(knob, { attributeFilter: ["aria-valuetext"] });
}

function describe(root, frame, { max, scale, about }) {
  const transport = root.querySelector(".lab-transport"), slider = root.querySelector(".lab-slider");
  const knob = slider?.querySelector("[role=slider]");
  setStyle(root, "--lab-scale", scale);
  setStyle(slider, "--lab-part", `${(100 * frame.call) / max}%`);
  setAttribute(root, "role", "group");
  setAttribute(root, "aria-label", `Stepper: ${about}`);
  setAttribute(root, "tabindex", "0");
  setAttribute(transport, "role", "toolbar");
  setAttribute(transport, "aria-label", "Step through the run");
  setAttribute(root.querySelector(".lab-speed select"), "aria-label", "Speed of Play");
  setAttribute(knob, "aria-label", "Call shown");
  nameKnob(knob, frame.call, max);
  root.classList.toggle("lab-over", frame.over);
  root.classList.toggle("lab-many", max > FEW);
  root.classList.toggle("lab-some", max > FEW / 2);
  for (const [name, off] of Object.entries(frame.off)) {
    setAttribute(root.querySelector(`.lab-${name}`), "aria-disabled", String(off));
  }
}

function scrolls(target, key) { // a pane with the focus that has more to show keeps the keys that show it
  const pane = target.closest(".lab-hist, .lab-full, .lab-src");
  if (!pane) return false;
  return key.startsWith("Arrow") ? pane.scrollWidth > pane.clientWidth : pane.scrollHeight > pane.clientHeight;
}

function ownKeys(root, model) {
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Escape" || event.key === "Tab") return;
    event.stopPropagation(); // in the notebook, d d would delete the cell
    if (event.key === "Enter" && (event.shiftKey || event.repeat)) return event.preventDefault(); // else it would press the button
    if (event.shiftKey || event.isComposing || event.defaultPrevented || event.target.closest(OWN)) return;
    const op = KEYS[event.key];
    if (!op) return;
    if (scrolls(event.target, event.key)) return;
    event.preventDefault();
    if (event.repeat && model.get("frame").frontier) return; // a key held down asks the model once
    model.send({ op, repeat: event.repeat });
  };
  root.addEventListener("keydown", onKey);
  return () => root.removeEventListener("keydown", onKey);
}

function find(el) {
  el.innerHTML = SKELETON;
  const get = (selector) => el.querySelector(selector);
  return {
    pos: get(".lab-pos"), now: get(".lab-now"), model: get(".lab-model"), time: get(".lab-time"),
    band: get(".lab-band"), wall: get(".lab-wall"), ticks: get(".lab-ticks"), bars: [...el.querySelectorAll(".lab-bars")],
    sees: get(".sees"), counts: get(".counts"), sent: get(".sent"), hist: get(".lab-hist"), rows: get(".lab-rows"),
    item: get(".item"), answers: get(".lab-answers"), scriptPart: get(".lab-script-part"), items: get(".items"),
    script: get(".lab-script"), source: get(".lab-src"), note: get(".lab-srcnote"),
  };
}

function fillOnce(part, items, facts) {
  part.model.innerHTML = facts.model;
  part.scriptPart.hidden = items.script.length === 0;
  setText(part.items, facts.script);
  items.script.forEach((row) => part.script.append(node(row)));
  items.source.forEach((line) => part.source.append(node(line)));
  makeTicks(part, facts.max);
}

function addBlocks(model, message) {
  if (message.op !== "add") return;
  const items = model.get("items");
  for (const [list, at, block] of message.blocks) items[list][at] = block;
}

export default () => ({
  initialize({ model }) {
    const onMessage = (message) => addBlocks(model, message);
    model.on("msg:custom", onMessage);
    return () => model.off("msg:custom", onMessage);
  },
  render({ model, el }) {
    const part = find(el);
    const facts = model.get("facts");
    let root = null, freeKeys = () => {}, timer = 0, waiting = 0;
    fillOnce(part, model.get("items"), facts);

    const draw = () => {
      const items = model.get("items"), frame = model.get("frame");
      const held = root?.contains(document.activeElement) ? document.activeElement : null;
      drawHead(part, frame);
      drawRows(part, items, frame);
      drawAnswer(part, items, frame);
      drawScript(part, items, frame);
      drawSource(part, frame);
      drawTime(part, items, frame, facts.max);
      if (root) describe(root, frame, facts);
      if (held?.closest("[hidden]")) root.focus({ preventScroll: true }); // what had the focus is not shown any more
      clearTimeout(timer);
      if (frame.playing) timer = setTimeout(() => model.send({ op: "tick", at: frame.call }), frame.pause);
    };
    const attach = () => {
      root = el.closest(".lab-root");
      if (!root) return (waiting = setTimeout(attach, 30));
      for (let box = el; box !== root; box = box.parentElement) box.style.display = "contents"; // lay its parts out there
      root.classList.add("lab-live"); // hides the fallback at once, in this page
      freeKeys = ownKeys(root, model);
      describe(root, model.get("frame"), facts);
      waiting = setTimeout(() => describe(root, model.get("frame"), facts), 500); // the slider comes a little later
    };
    model.on("change:frame", draw);
    draw();
    attach();
    model.send({ op: "ready" });
    return () => {
      clearTimeout(timer);
      clearTimeout(waiting);
      model.off("change:frame", draw);
      freeKeys();
    };
  },
});
