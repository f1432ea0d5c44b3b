// Sorts the class table by a column: the button of its heading, by click or by Enter.
document.querySelectorAll("table.sortable").forEach(function (table) {
  const body = table.tBodies[0];
  table.querySelectorAll("thead th").forEach(function (heading, column) {
    const button = document.createElement("button");
    button.type = "button";
    while (heading.firstChild) button.appendChild(heading.firstChild);
    heading.appendChild(button);
    button.addEventListener("click", function () {
      const down = heading.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("thead th").forEach(function (h) { h.removeAttribute("aria-sort"); });
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = function (row) { return row.cells[column].dataset.sort || row.cells[column].textContent; };
      const rows = Array.from(body.rows).sort(function (a, b) {
        const x = key(a), y = key(b), numbers = !isNaN(x) && !isNaN(y);
        return (numbers ? x - y : x.localeCompare(y)) * (down ? -1 : 1);
      });
      rows.forEach(function (row) { body.appendChild(row); });
    });
  });
});
