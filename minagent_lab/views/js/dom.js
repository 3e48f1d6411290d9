// The stepper's panel. Python sends blocks of HTML once, each under a list and a place, and then one small frame per
// step that says which of them to show. Nothing is rebuilt, so focus, folds, selection and scroll position stay.
// The parts of this module are put together in the order that panel.py gives; this one holds what all of them use.

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
