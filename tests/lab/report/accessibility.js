// What a screen reader needs: for each demand, the elements that do not meet it.
() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const named = (e) => (e.getAttribute("aria-label") || e.textContent || "").trim() !== ""
    || (e.getAttribute("aria-labelledby") || "").split(" ").some((id) => document.getElementById(id));
  const brief = (list) => list.map((e) => e.outerHTML.slice(0, 120));
  const ids = all("[id]").map((e) => e.id);
  const levels = all("h1, h2, h3, h4, h5, h6").map((e) => Number(e.tagName[1]));
  return {
    "images without alt": brief(all("img:not([alt])")),
    "lone images with an empty alt": brief(all('img[alt=""]').filter((e) => !e.closest('[role="img"]'))),
    "drawings without a name": brief(all("svg").filter((e) =>
      e.getAttribute("aria-hidden") !== "true" && !(e.getAttribute("role") === "img" && e.getAttribute("aria-label")))),
    "controls without a name": brief(all("button, a[href], summary, [tabindex='0']").filter((e) => !named(e))),
    "tables without a caption": brief(all("table").filter((e) => !e.caption || !e.caption.textContent.trim())),
    "headers without a scope": brief(all("th:not([scope])")),
    "figures without a caption": brief(all("figure").filter((e) => !e.querySelector("figcaption"))),
    "sections without a name": brief(all("section, nav, [role=region]").filter((e) =>
      !e.getAttribute("aria-label") && !document.getElementById(e.getAttribute("aria-labelledby")))),
    "ids that occur twice": ids.filter((id, index) => ids.indexOf(id) !== index),
    "links to nowhere": brief(all('a[href^="#"]').filter((e) => !document.getElementById(e.hash.slice(1)))),
    "headings that skip a level": levels.filter((level, i) => level > (levels[i - 1] || 0) + 1),
    "first headings but one": levels.filter((level) => level === 1).length === 1 ? [] : levels,
    "landmarks": all("main").length === 1 && document.documentElement.lang ? [] : ["main or lang"],
  };
}
