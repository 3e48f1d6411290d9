// Keeps the notebook's single-key shortcuts away from what is typed or pressed inside a widget: there, d d would delete
// the cell. Keys with a modifier, Escape and Tab still reach the notebook.
export default {
  render({ el }) {
    let root = null, waiting = 0;
    const onKey = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Escape" || event.key === "Tab") return;
      event.stopPropagation();
      if (event.key === "Enter" && event.shiftKey) event.preventDefault();
    };
    const attach = () => {
      root = el.closest(".lab-guarded");
      if (!root) return (waiting = setTimeout(attach, 30));
      el.style.display = "none";
      root.addEventListener("keydown", onKey);
    };
    attach();
    return () => {
      clearTimeout(waiting);
      root?.removeEventListener("keydown", onKey);
    };
  },
};
