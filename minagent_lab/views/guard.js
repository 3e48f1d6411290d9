// Keeps the notebook's single-key shortcuts away from what is typed or pressed inside a widget: there, d d would delete
// the cell. Keys with a modifier, Escape and Tab still reach the notebook. Where it is asked to, it tells which way a
// key points: the arrows, Page Up and Down, Home and End.
const WAYS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", Home: "first", End: "last" };
const OWN = "input, textarea, select, [role=slider]"; // have a use of their own for these keys

export default {
  render({ model, el }) {
    let root = null, waiting = 0;
    const onKey = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Escape" || event.key === "Tab") return;
      event.stopPropagation();
      if (event.key === "Enter" && event.shiftKey) event.preventDefault();
      const way = model.get("ways") && !event.shiftKey && !event.target.closest(OWN) && WAYS[event.key];
      if (!way) return;
      event.preventDefault();
      model.send({ way });
    };
    const attach = () => {
      root = el.closest(".lab-guarded");
      if (!root) return (waiting = setTimeout(attach, 30));
      el.style.display = "none";
      root.addEventListener("keydown", onKey);
      if (model.get("ways")) root.tabIndex = 0; // so that the keys have where to go
      if (model.get("label")) root.setAttribute("role", "group"), root.setAttribute("aria-label", model.get("label"));
    };
    attach();
    return () => {
      clearTimeout(waiting);
      root?.removeEventListener("keydown", onKey);
    };
  },
};
