// Text whose contrast with what lies behind it is too low (WCAG AA).
() => {
  const parse = (text) => {
    const parts = text.match(/[\d.]+/g).map(Number);
    const scale = text.startsWith("color(") ? 255 : 1;
    return [...parts.slice(0, 3).map((p) => p * scale), parts.length > 3 ? parts[3] : 1];
  };
  const over = (top, below) => {
    const a = top[3];
    return [0, 1, 2].map((i) => a * top[i] + (1 - a) * below[i]).concat(1);
  };
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    let colour = [255, 255, 255, 1];
    for (const layer of layers.reverse()) colour = over(layer, colour);
    if (e.matches(".matrix .number")) {
      const field = parse(getComputedStyle(e.closest("svg").querySelector(".field")).fill);
      const style = getComputedStyle(e.previousElementSibling);
      const cell = parse(style.fill);
      cell[3] *= Number(style.fillOpacity);
      return over(cell, over(field, colour));
    }
    return colour;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || e.closest("script, style, title, .hidden, .tip")) continue;
    if (!e.getClientRects().length) continue;
    const style = getComputedStyle(e);
    const colour = parse(e instanceof SVGElement ? style.fill : style.color);
    const back = behind(e);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 600;
    const enough = size >= 24 || (bold && size >= 18.7) ? 3 : 4.5;
    const value = ratio(over(colour, back), back);
    count += 1;
    if (value < enough) found.push([value.toFixed(2), e.outerHTML.slice(0, 120)]);
  }
  return { count, found };
}
