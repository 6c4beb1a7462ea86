// Elements that stick out of the page at the right.
() => [...document.querySelectorAll("body *")].filter((e) => {
  const box = e.getBoundingClientRect();
  return box.right > innerWidth + 1 && box.width > 1 && !e.closest(".scroll") && !e.closest("svg");
}).map((e) => e.outerHTML.slice(0, 120))
