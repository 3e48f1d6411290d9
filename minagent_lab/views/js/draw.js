// The parts of the panel that a frame changes: head, history, answer, script and source.

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
    <div class="lab-replied">
      <h3 class="lab-h"><b>What it replied</b><span class="item"></span></h3>
      <div class="lab-answers"></div>
    </div>
    <div class="lab-ask"></div>
  </div>
  <div class="lab-side" role="group" aria-label="script and loop">
    <div class="lab-script-part"><h3 class="lab-h"><b>Script</b><span class="items"></span></h3><ol class="lab-script" role="list"></ol></div>
    <h3 class="lab-h"><b>The loop</b><span><code>agent_loop</code></span></h3>
    <ol class="lab-src" role="list" tabindex="0" aria-label="source of the loop"></ol>
    <p class="lab-srcnote"></p>
  </div>
</div>
<div class="lab-comparison" role="region" aria-label="Comparison of two branches"></div>`;

const AROUND = 3; // script items shown before and after the cursor

function find(el) {
  el.innerHTML = SKELETON;
  const get = (selector) => el.querySelector(selector);
  return {
    pos: get(".lab-pos"), now: get(".lab-now"), model: get(".lab-model"), time: get(".lab-time"),
    band: get(".lab-band"), wall: get(".lab-wall"), ticks: get(".lab-ticks"), bars: [...el.querySelectorAll(".lab-bars")],
    sees: get(".sees"), counts: get(".counts"), sent: get(".sent"), hist: get(".lab-hist"), rows: get(".lab-rows"),
    item: get(".item"), answers: get(".lab-answers"), scriptPart: get(".lab-script-part"), items: get(".items"),
    script: get(".lab-script"), source: get(".lab-src"), note: get(".lab-srcnote"),
    replied: get(".lab-replied"), ask: get(".lab-ask"), comparison: get(".lab-comparison"),
  };
}

function fill(part, items, facts) { // once for each branch that is shown
  if (part.filled === items) return;
  part.filled = items;
  part.wall.hidden = !facts.limit;
  for (const list of [part.rows, part.answers, part.script, part.source, ...part.bars]) list.replaceChildren();
  part.model.innerHTML = facts.model;
  part.scriptPart.hidden = items.script.length === 0;
  items.script.forEach((row) => part.script.append(node(row)));
  items.source.forEach((line) => part.source.append(node(line)));
}

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
  for (let at = part.rows.children.length; at < items.rows.length; at++) {
    const row = node(items.rows[at]);
    nameChips(row);
    part.rows.append(row);
  }
  [...part.rows.children].forEach((row, at) => {
    row.hidden = at >= frame.rows;
    row.classList.toggle("new", at >= frame.fresh && at < frame.rows);
  });
  roveToLast(part);
}

function drawAnswer(part, items, frame, question) {
  part.replied.hidden = frame.call === 0 && !!question; // the question stands where the first answer will stand
  for (let at = part.answers.children.length; at < items.answers.length; at++) {
    const box = document.createElement("div");
    box.innerHTML = items.answers[at];
    part.answers.append(box);
  }
  [...part.answers.children].forEach((box, at) => (box.hidden = at !== frame.call));
}

function drawScript(part, items, frame, facts) {
  const next = frame.used; // items used when this call was over
  const hidden = frame.hidden ?? items.script.length; // the first item that must not be seen yet
  const middle = Math.min(Math.max(next - 1, AROUND), items.script.length - 1 - AROUND);
  setText(part.items, facts.script + (hidden < items.script.length ? "; what comes is hidden" : ""));
  [...part.script.children].forEach((row, at) => {
    const state = at === frame.answering ? "this" : at < next ? "used" : at >= hidden ? "hid" : at === next ? "next" : "come";
    if (row.className !== state) row.className = state;
    row.hidden = items.script.length > 2 * AROUND + 1 && Math.abs(at - middle) > AROUND;
    setText(row.querySelector(".w"), { this: "this call", used: "used", hid: "hidden", next: "next", come: "to come" }[state]);
    showTitle(row.querySelector(".t"), state !== "hid");
    if (state === "this") setAttribute(row, "aria-current", "step");
    else row.removeAttribute("aria-current");
  });
}

function showTitle(text, shown) { // the whole item, where its line is too short for it
  text.labTitle ??= text.title;
  if (text.title !== (shown ? text.labTitle : "")) text.title = shown ? text.labTitle : "";
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
