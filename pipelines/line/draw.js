// Elements are made, not parsed: names come from files and from people.
export const $ = id => document.getElementById(id);

export function make(tag, text, name) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (name) e.className = name;
  return e;
}

export function row(tag, cells) {
  const tr = make("tr");
  for (const c of cells) tr.append(c instanceof Node ? c : make(tag, c));
  return tr;
}

export function bar(share) {
  const td = make("td", undefined, "bars"), b = make("div", undefined, "bar");
  b.style.width = 100 * share + "%";
  if (share) td.append(b);
  return td;
}

export function tile(label, value, bad) {
  const t = make("div", undefined, bad ? "tile bad" : "tile");
  t.append(make("b", value), label);
  return t;
}

export function card(title, lines, bad) {
  const c = make("div", undefined, bad ? "card bad" : "card");
  c.append(make("h3", title), ...lines.map(l => make("p", l)));
  return c;
}

export function button(label, name, act) {
  const b = make("button", label, name);
  b.type = "button";
  b.addEventListener("click", act);
  return b;
}
