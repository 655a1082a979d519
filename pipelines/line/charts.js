// Charts of the last hours, as SVG.
import { make } from "./draw.js";
import { minute, text } from "./messages.js";

// minutes that are further apart are not joined
const WIDTH = 720, HEIGHT = 120, GAP = 120, COLOURS = 8;

function svg(tag, attributes) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  return e;
}

// a line for each run of points that have a value; a minute that is not there is a gap
function draw(points, begin, most, pick) {
  let path = "", before = null;
  for (const p of points) {
    const value = pick(p);
    if (value === null) { before = null; continue; }
    const x = (WIDTH * (p.t - begin) / Math.max(1, points.at(-1).t - begin)).toFixed(1);
    const y = (HEIGHT * (1 - value / most)).toFixed(1);
    path += (before === null || p.t - before > GAP ? "M" : "L") + x + " " + y;
    before = p.t;
  }
  return path;
}

// series: {name, pick, form}: the figure of a point, or null; how it is written
export function chart(title, points, series, least) {
  const begin = points[0].t, figure = make("figure", undefined, "chart");
  const most = Math.max(least, ...points.flatMap(p => series.map(s => s.pick(p) ?? 0)));
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": title });
  series.forEach((s, i) => picture.append(svg("path", { d: draw(points, begin, most, s.pick), class: "series series" + i % COLOURS })));
  const cursor = svg("path", { d: "", class: "cursor" }), said = make("div", undefined, "said");
  picture.append(cursor);
  const say = p => said.replaceChildren(minute(new Date(1000 * p.t)) + "  ", ...series.flatMap((s, i) => {
    const value = s.pick(p), key = make("i", undefined, "key series" + i % COLOURS);
    return [key, make("span", (s.name ? s.name + ": " : "") + (value === null ? text("none") : s.form(value)))];
  }));
  picture.addEventListener("pointermove", event => {
    const box = picture.getBoundingClientRect(), t = begin + (event.clientX - box.left) / box.width * (points.at(-1).t - begin);
    const p = points.reduce((a, b) => Math.abs(b.t - t) < Math.abs(a.t - t) ? b : a);
    const x = WIDTH * (p.t - begin) / Math.max(1, points.at(-1).t - begin);
    cursor.setAttribute("d", `M${x} 0V${HEIGHT}`);
    say(p);
  });
  picture.addEventListener("pointerleave", () => { cursor.setAttribute("d", ""); say(points.at(-1)); });
  say(points.at(-1));
  const axis = make("div", undefined, "axis");
  axis.append(make("span", minute(new Date(1000 * begin))), make("span", minute(new Date(1000 * points.at(-1).t))));
  figure.append(make("figcaption", title), make("div", series[0].form(most), "most"), picture, axis, said);
  return figure;
}
