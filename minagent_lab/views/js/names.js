// What stock widgets leave out: names and states.

const MENUS = { "lab-speed": "Speed of Play", "lab-until": "Where to stop", "lab-other": "Branch to compare with" };
const PANES = ["fork", "code", "export"];

function nameKnob(knob, call, limit) { // the slider writes a bare number there each time it moves
  if (!knob) return;
  knob.labText = `call ${call}${limit}`;
  setAttribute(knob, "aria-valuetext", knob.labText);
  knob.labWatch ??= new MutationObserver(() => setAttribute(knob, "aria-valuetext", knob.labText));
  knob.labWatch.observe(knob, { attributeFilter: ["aria-valuetext"] });
}

function describe(root, frame, { max, limit, scale, about }) {
  const transport = root.querySelector(".lab-transport"), slider = root.querySelector(".lab-slider");
  const knob = slider?.querySelector("[role=slider]");
  setStyle(root, "--lab-scale", scale);
  setStyle(slider, "--lab-part", `${(100 * frame.call) / max}%`);
  setAttribute(root, "role", "group");
  setAttribute(root, "aria-label", `Stepper: ${about}`);
  setAttribute(root, "tabindex", "0");
  setAttribute(transport, "role", "toolbar");
  setAttribute(transport, "aria-label", "Step through the run");
  setAttribute(root.querySelector(".lab-branches"), "role", "group");
  setAttribute(root.querySelector(".lab-branches"), "aria-label", "Branches");
  for (const [menu, name] of Object.entries(MENUS)) setAttribute(root.querySelector(`.${menu} select`), "aria-label", name);
  setAttribute(knob, "aria-label", "Call shown");
  nameKnob(knob, frame.call, limit);
  root.classList.toggle("lab-over", frame.over);
  root.classList.toggle("lab-endless", !limit);
  root.classList.toggle("lab-many", max > FEW);
  root.classList.toggle("lab-some", max > FEW / 2);
  root.querySelectorAll(".lab-branches [class*=lab-branch-]").forEach((button) => {
    setAttribute(button, "aria-pressed", String(button.classList.contains(`lab-branch-${frame.branch}`)));
  });
  for (const name of PANES) setAttribute(root.querySelector(`.lab-${name}`), "aria-expanded", String(frame.pane === name));
  for (const [name, off] of Object.entries(frame.off)) {
    setAttribute(root.querySelector(`.lab-${name}`), "aria-disabled", String(off));
  }
}

// ---- the focus goes where a press leads, and never to the page

function followPane(part, root, frame) {
  const before = part.pane ?? "", now = frame.pane ?? "";
  part.pane = now;
  if (now === before || !root.contains(document.activeElement)) return;
  if (now) focusSoon(() => [...root.querySelectorAll(".lab-pane")].find((pane) => pane.checkVisibility()), 20);
  else root.querySelector(`.lab-${before}`)?.focus();
}

function focusSoon(find, tries) { // a pane that is opened for the first time comes a little later
  const field = [...(find()?.querySelectorAll("select, textarea, button") ?? [])].find((one) => one.checkVisibility());
  if (field) field.focus();
  else if (tries) setTimeout(() => focusSoon(find, tries - 1), 50);
}
