// A field above each table of the class "searchable" hides the rows that do not hold what is typed.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".searchable table, table.searchable")) {
    const field = document.createElement("input");
    field.type = "search";
    field.className = "table-filter";
    field.placeholder = "Filter the rows";
    field.setAttribute("aria-label", "Filter the rows of the table below");
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      for (const row of table.tBodies[0].rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
      }
    });
    const box = table.closest(".pst-scrollable-table-container") || table;
    box.before(field);
  }
});
