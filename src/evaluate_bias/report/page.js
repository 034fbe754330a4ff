"use strict";
// Tables are sorted by a click on a heading: numbers by size, texts by name; what is missing comes last either way.
document.querySelectorAll("table").forEach((table) => {
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies[0].rows];
  heads.forEach((head, place) => {
    const isNumber = head.classList.contains("num");
    const key = (row) => {
      const text = row.cells[place].textContent.replaceAll("−", "-").replace(/^[\s<[]+/, "");
      return isNumber ? parseFloat(text) : text;
    };
    const isMissing = (value) => value === "—" || Number.isNaN(value);
    const button = document.createElement("button");
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      const sign = head.ariaSort === "ascending" ? -1 : 1;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      const order = (x, y) =>
        isMissing(x) || isMissing(y)
          ? isMissing(x) - isMissing(y)
          : sign * (isNumber ? x - y : x.localeCompare(y, "en", { numeric: true }));
      table.tBodies[0].append(...[...rows].sort((a, b) => order(key(a), key(b))));
    });
    head.replaceChildren(button);
  });
});
const find = document.getElementById("find");
find.hidden = false;
find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\s+/);
  document.querySelectorAll("#scores tbody tr").forEach((row) => {
    row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
});
const reveal = () => {
  for (let at = document.getElementById(location.hash.slice(1)); at; at = at.parentElement) at.open = true;
};
addEventListener("hashchange", reveal);
reveal();
// On paper everything is unfolded, unless it would take a book.
addEventListener("beforeprint", () => {
  const all = document.querySelectorAll("details");
  if (document.querySelectorAll(".result").length <= 20) all.forEach((details) => (details.open = true));
});
