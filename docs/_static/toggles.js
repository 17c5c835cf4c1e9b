// The arrows that open parts of the contents get names, for those who hear the page.
document.addEventListener("DOMContentLoaded", () => {
  for (const arrow of document.querySelectorAll("nav details > summary:not([aria-label])")) {
    const link = arrow.closest("li").querySelector("a");
    arrow.setAttribute("aria-label", `Pages under ${link.textContent.trim()}`);
  }
});
