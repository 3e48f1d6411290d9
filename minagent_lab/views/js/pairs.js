// A call and its result carry the same id. Whichever of the two is pointed at or has the focus, both are marked. One id
// of the history is reached by Tab; the arrow keys go to the others, and Enter from a call to its result and back.

const chipsOf = (row) => [...row.querySelectorAll(".lab-id")];
const idOf = (chip) => chip.textContent.trim();
const rowOf = (chip) => chip.closest(".lab-msg");

function matesOf(chip) {
  const row = rowOf(chip), rows = row ? [...row.parentElement.children].filter((one) => !one.hidden) : [];
  const at = rows.indexOf(row), id = idOf(chip), same = (one) => chipsOf(one).filter((other) => idOf(other) === id);
  if (row?.classList.contains("tool")) {
    for (let before = at - 1; before >= 0; before--) {
      if (rows[before].classList.contains("assistant") && same(rows[before]).length) return same(rows[before]);
    }
    return [];
  }
  const mates = [];
  for (let after = at + 1; at >= 0 && after < rows.length; after++) {
    if (rows[after].classList.contains("tool")) mates.push(...same(rows[after]));
    else if (same(rows[after]).length) break; // the id is used anew
  }
  return mates;
}

function markPair(root, chip) {
  root.querySelectorAll(".lab-pair").forEach((one) => one.classList.remove("lab-pair"));
  const mates = chip ? matesOf(chip) : [];
  for (const one of mates.length ? [chip, ...mates] : []) {
    one.classList.add("lab-pair");
    rowOf(one).classList.add("lab-pair");
  }
  return mates;
}

function chipAt(target) {
  return target.closest(".lab-id") ?? target.closest("summary")?.querySelector(".lab-id") ?? null;
}

const holderOf = (chip) => chip.closest("summary") ?? chip; // in a folded row the summary has the focus

function followPairs(root) {
  const point = (event) => markPair(root, chipAt(event.target) ?? chipAt(document.activeElement ?? root));
  const focus = (event) => {
    const chip = chipAt(event.target), mates = markPair(root, chip);
    if (!mates.length || chip !== event.target) return;
    const where = mates.map((mate) => rowOf(mate).querySelector(".n").textContent).join(", ");
    const what = rowOf(chip).classList.contains("tool") ? "its call is in" : "its result is";
    setAttribute(chip, "aria-label", `${idOf(chip)}: ${what} message ${where}; Enter goes there`);
  };
  const events = { mouseover: point, focusin: focus, focusout: () => markPair(root, null) };
  for (const [name, handler] of Object.entries(events)) root.addEventListener(name, handler);
  return () => Object.entries(events).forEach(([name, handler]) => root.removeEventListener(name, handler));
}

function keyOnChip(event, part) {
  const chip = event.target;
  if (!chip.matches?.(".lab-rows .lab-id[role=button]")) return false;
  if (event.key === "Enter" || event.key === " ") {
    const mate = matesOf(chip)[0];
    if (mate) goToChip(part, mate);
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    const chips = [...part.rows.querySelectorAll(".lab-msg:not([hidden]) .lab-id[role=button]")];
    const next = chips[chips.indexOf(chip) + (event.key === "ArrowUp" ? -1 : 1)];
    if (next) goToChip(part, next);
  } else return false;
  event.preventDefault();
  return true;
}

function goToChip(part, chip) {
  if (holderOf(chip) === chip) roveTo(part, chip);
  holderOf(chip).focus();
}

function roveTo(part, chip) {
  if (part.roving === chip) return;
  if (part.roving) part.roving.tabIndex = -1;
  part.roving = chip;
  if (chip) chip.tabIndex = 0;
}

function nameChips(row) {
  for (const chip of chipsOf(row)) {
    if (holderOf(chip) !== chip) continue;
    chip.setAttribute("role", "button");
    chip.tabIndex = -1;
  }
}

function roveToLast(part) { // the newest id is the one that Tab reaches
  if (part.roving?.isConnected && part.roving.checkVisibility() && part.roving === document.activeElement) return;
  for (let at = part.rows.children.length - 1; at >= 0; at--) {
    const row = part.rows.children[at], chip = row.hidden ? null : row.querySelector(".lab-id[role=button]");
    if (chip) return roveTo(part, chip);
  }
  roveTo(part, null);
}
