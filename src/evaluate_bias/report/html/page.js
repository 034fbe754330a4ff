"use strict";
(() => {
  const table = document.getElementById("table");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const filters = document.querySelector(".filters");
  const find = document.getElementById("find");
  const overall = document.getElementById("overall");
  const selects = [...filters.querySelectorAll("select")];
  const count = document.getElementById("count");
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const all = count.textContent;

  function show() {
    const wanted = find.value.trim().toLowerCase().split(/\s+/);
    let shown = 0;
    rows.forEach((row, i) => {
      const kept =
        wanted.every((word) => texts[i].includes(word)) &&
        selects.every((s) => !s.value || row.dataset[s.dataset.key] === s.value) &&
        (!overall.checked || row.classList.contains("whole"));
      row.hidden = !kept;
      shown += kept;
    });
    count.textContent = shown === rows.length ? all : `${shown} of ${all}`;
  }

  // Numbers by size, texts by name; what is missing comes last either way.
  function sorter(place, sign) {
    const key = (row) => {
      const cell = row.cells[place];
      return cell.dataset.sort === undefined ? cell.textContent.trim() : cell.dataset.sort === "" ? null : Number(cell.dataset.sort);
    };
    return (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      return sign * (typeof x === "number" ? x - y : x.localeCompare(y, "en", { numeric: true }));
    };
  }

  [...table.tHead.rows[0].cells].forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      [...table.tHead.rows[0].cells].forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      body.append(...[...rows].sort(sorter(place, descending ? -1 : 1)));
    });
  });
  find.addEventListener("input", show);
  [overall, ...selects].forEach((control) => control.addEventListener("change", show));
  document.getElementById("reset").addEventListener("click", () => {
    find.value = "";
    overall.checked = false;
    selects.forEach((s) => (s.value = ""));
    show();
  });
  filters.hidden = false;
  overall.checked = "first" in overall.dataset; // thousands of lines are no overview
  show();

  const PAGE = 100;
  const written = (cell) =>
    cell === null ? "—" : typeof cell === "number" && !Number.isInteger(cell) ? String(Number(cell.toPrecision(5))) : String(cell);

  function build(details) {
    const { columns, rows: items } = JSON.parse(details.querySelector("script").textContent);
    const lower = items.map((row) => row.join(" ").toLowerCase());
    const search = document.createElement("input");
    search.type = "search";
    search.placeholder = "Search";
    search.setAttribute("aria-label", "Search the items");
    const save = document.createElement("button");
    save.type = "button";
    save.textContent = "Save as CSV";
    const scroll = document.createElement("div");
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Table of items");
    const own = scroll.appendChild(document.createElement("table"));
    const head = own.createTHead().insertRow();
    columns.forEach((name) => {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = name;
      head.append(cell);
    });
    const tbody = own.createTBody();
    const more = document.createElement("button");
    more.type = "button";
    let chosen = [];
    let shown = 0;
    const extend = () => {
      chosen.slice(shown, shown + PAGE).forEach((i) => {
        const row = tbody.insertRow();
        items[i].forEach((cell) => {
          const td = row.insertCell();
          td.textContent = written(cell);
          td.dir = "auto"; // texts of any language
          if (typeof cell === "number") td.className = "num";
        });
      });
      shown = Math.min(shown + PAGE, chosen.length);
      more.hidden = shown === chosen.length;
      more.textContent = `Show more (${shown} of ${chosen.length})`;
    };
    const restart = () => {
      const word = search.value.trim().toLowerCase();
      chosen = [...items.keys()].filter((i) => lower[i].includes(word));
      shown = 0;
      tbody.replaceChildren();
      extend();
    };
    search.addEventListener("input", restart);
    more.addEventListener("click", extend);
    save.addEventListener("click", () => {
      const field = (cell) => {
        if (cell === null) return "";
        // No spreadsheet may take a text for a formula.
        const text = typeof cell === "string" && /^[=+\-@−＝＋－＠]/.test(cell) ? `'${cell}` : String(cell);
        return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      };
      const csv = [columns, ...items].map((row) => row.map(field).join(",")).join("\n") + "\n";
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
      link.download = `${details.closest(".result").id}-items.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    restart();
    details.append(search, " ", save, scroll, more);
  }

  document.querySelectorAll(".items").forEach((details) =>
    details.addEventListener("toggle", () => details.open && !details.querySelector("table") && build(details)));

  function reveal() {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  reveal();

  // On paper everything is unfolded; of many results only what the reader has opened, which would take a book.
  const PRINTED = 20;
  let opened = [];
  addEventListener("beforeprint", () => {
    const few = document.querySelectorAll(".result").length <= PRINTED;
    opened = few ? [...document.querySelectorAll("details:not(.items):not([open])")] : [];
    opened.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));
})();
