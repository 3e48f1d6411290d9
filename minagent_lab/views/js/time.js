// The time line: ticks and bars on the axis of the slider.

const FEW = 12; // up to so many calls each has its words on the time line; above, only the one that is shown

function drawTime(part, items, frame, max) {
  const percent = (call) => `${(100 * call) / max}%`;
  const columns = items.columns.slice(0, frame.known ?? items.columns.length); // in predict mode, what was seen
  columns.forEach((column, at) => {
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
  setAttribute(part.bars[0], "aria-label", columns
    .map((column, at) => describeColumn(column, at + 1)).join("; ") || "no call yet");
  [...part.ticks.children].forEach((tick) => {
    const call = Number(tick.dataset.call), column = columns[call - 1];
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
