// The widget: it draws when a frame comes, and tells Python what was pressed.

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
    const part = find(el), line = openLine(model, part);
    const facts = model.get("facts");
    let root = null, ends = [], timer = 0, waiting = 0;
    makeTicks(part, facts.max);

    const draw = () => {
      const items = model.get("items"), frame = model.get("frame"), question = model.get("question");
      const held = root?.contains(document.activeElement) ? document.activeElement : null;
      line.heard();
      fill(part, items, model.get("facts"));
      drawHead(part, frame);
      drawRows(part, items, frame);
      drawAnswer(part, items, frame, question);
      drawQuestion(part, question);
      drawScript(part, items, frame, model.get("facts"));
      drawSource(part, frame);
      drawTime(part, items, frame, facts.max);
      setHtml(part.comparison, model.get("comparison"));
      if (root) describe(root, frame, model.get("facts"));
      if (root) followPane(part, root, frame);
      if (root) root.classList.toggle("lab-comparing", !!model.get("comparison"));
      if (held && (!held.isConnected || held.closest("[hidden]")) && !root.contains(document.activeElement)) {
        root.focus({ preventScroll: true }); // what had the focus is not shown any more
      }
      clearTimeout(timer);
      if (frame.playing) timer = setTimeout(() => (line.expect(), line.send({ op: "tick", at: frame.call })), frame.pause);
    };
    line.stop = () => {
      clearTimeout(timer);
      const play = root?.querySelector(".lab-play");
      if (play) setText(play, "Play");
    };
    const attach = () => {
      root = el.closest(".lab-root");
      if (!root) return (waiting = setTimeout(attach, 30));
      for (let box = el; box !== root; box = box.parentElement) box.style.display = "contents"; // lay its parts out there
      root.classList.add("lab-live"); // hides the fallback at once, in this page
      line.root = root;
      ends = [ownKeys(root, part, model, line), ownClicks(root, part, line), followPairs(root), watchLine(root, line)];
      draw();
      waiting = setTimeout(() => describe(root, model.get("frame"), model.get("facts")), 500); // the slider comes a little later
    };
    model.on("change", draw);
    draw();
    attach();
    model.send({ op: "ready" });
    return () => {
      clearTimeout(timer);
      clearTimeout(waiting);
      line.heard();
      model.off("change", draw);
      ends.forEach((end) => end());
    };
  },
});
