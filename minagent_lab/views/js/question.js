// Predict mode: the question about the next call.

function drawQuestion(part, html) {
  if ((part.ask.labHtml ?? "") === html) return;
  const had = part.ask.contains(document.activeElement);
  setHtml(part.ask, html);
  part.group ??= `lab-question-${Math.random()}`; // radio buttons of one name exclude each other, in the whole page
  part.ask.querySelectorAll("input").forEach((radio) => (radio.name = part.group));
  if (had) (part.ask.querySelector("input:enabled") ?? part.ask.querySelector(".lab-go"))?.focus();
}

function pressInQuestion(part, line, button) {
  if (button.matches(".lab-go")) return line.press("next");
  const chosen = part.ask.querySelector("input:checked:enabled");
  if (button.ariaDisabled === "true") return;
  if (!chosen) return line.say("First choose an answer.");
  line.send({ op: "guess", call: Number(part.ask.querySelector(".lab-q").dataset.call), place: Number(chosen.value) });
}
