"use strict";
(() => {
  const cells = JSON.parse(document.getElementById("cells").textContent);
  const panel = document.getElementById("details");
  let pinned = null;

  const make = (tag, text, name) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (name) node.className = name;
    return node;
  };

  const clear = () => document.querySelectorAll("td.on, td.way").forEach((td) => td.classList.remove("on", "way"));

  function show(td) {
    const cell = cells[td.id];
    if (!cell) return;
    clear();
    td.classList.add("on");
    const head = make("h4", cell.v);
    const list = make("dl");
    for (const [word, text] of cell.l) list.append(make("dt", word), make("dd", text));
    const parts = [head, list];
    if (cell.c && cell.c.length > 1) {
      const chain = make("p", panel.dataset.chain + ": ", "chain");
      cell.c.forEach(([id, text], index) => {
        if (index) chain.append(" \u2190 ");
        const button = make("button", text, "go");
        button.type = "button";
        button.dataset.to = id;
        chain.append(button);
        const on = document.getElementById(id);
        if (on && index) on.classList.add("way");
      });
      parts.push(chain);
    }
    panel.replaceChildren(...parts);
  }

  function pick(td, scroll) {
    pinned = td;
    const table = td.closest("table");
    table.querySelectorAll('td[tabindex="0"]').forEach((other) => { other.tabIndex = -1; });
    td.tabIndex = 0;
    td.focus({ preventScroll: !scroll });
    if (scroll) td.scrollIntoView({ block: "center", inline: "center" });
    show(td);
  }

  const cellOf = (node) => node instanceof Element ? node.closest("td[data-v]") : null;

  document.addEventListener("mouseover", (event) => { const td = cellOf(event.target); if (td) show(td); });
  document.addEventListener("mouseout", (event) => { if (cellOf(event.target) && pinned) show(pinned); });
  document.addEventListener("focusin", (event) => { const td = cellOf(event.target); if (td) { pinned = td; show(td); } });
  document.addEventListener("click", (event) => {
    const go = event.target instanceof Element ? event.target.closest("button.go") : null;
    const target = go ? document.getElementById(go.dataset.to) : cellOf(event.target);
    if (target && target.dataset.v) pick(target, Boolean(go));
    else if (target) target.scrollIntoView({ block: "center", inline: "center" });
  });

  // Arrow keys go to the next computed cell in their direction; Home and End to the first and last of the row.
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  document.addEventListener("keydown", (event) => {
    const td = cellOf(event.target);
    if (!td) return;
    const row = td.parentElement;
    if (event.key === "Home" || event.key === "End") {
      const all = row.querySelectorAll("td[data-v]");
      event.preventDefault();
      pick(all[event.key === "Home" ? 0 : all.length - 1], true);
      return;
    }
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    let line = row;
    let place = td.cellIndex;
    for (;;) {
      if (step[0]) line = step[0] > 0 ? line.nextElementSibling : line.previousElementSibling;
      place += step[1];
      const next = line ? line.cells[place] : null;
      if (!next) return;
      if (next.dataset.v) { pick(next, true); return; }
    }
  });

  // One cell of each grid takes part in tabbing: the first that does not agree, else the first.
  document.querySelectorAll("table.grid").forEach((table) => {
    const first = table.querySelector('td[data-v]:not([data-v="agrees"])') || table.querySelector("td[data-v]");
    if (first) first.tabIndex = 0;
  });

  document.querySelectorAll("section.file").forEach((file) => {
    const refresh = () => {
      const shown = new Set([...file.querySelectorAll(".by-verdict:checked")].map((box) => box.value));
      file.querySelectorAll("section.sheet").forEach((sheet) => {
        const choice = sheet.querySelector(".by-step");
        const step = choice ? choice.value : "";
        sheet.querySelectorAll("td[data-v]").forEach((td) => {
          td.classList.toggle("dim", !shown.has(td.dataset.v) || (step !== "" && td.dataset.b !== step));
        });
      });
    };
    file.addEventListener("change", refresh);
  });
})();
