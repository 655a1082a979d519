import { $, bar, button, card, make, row, tile } from "./draw.js";
import { chart } from "./charts.js";
import * as commands from "./commands.js";
import { LANGUAGES, choose, clock, duration, load, megabytes, milliseconds, millimetres, moment, number, percent, term, text }
  from "./messages.js";

// ms; what changes slowly is asked for less often, but not just after a command
const PERIOD = 2000, SLOW = 20000, HURRY = 8000;
// pieces that do not come for so long: the line stands
const STANDS = 10;
let now = {}, before = null, moved = null, answered = null, slowly = 0, hurry = 0, wrong = null;

// parts that are only made anew when they have changed: what is clicked or selected stays there
const shown = {};
function changed(name, ...of) {
  const key = JSON.stringify([document.documentElement.lang, ...of]);
  if (shown[name] === key) return false;
  shown[name] = key;
  return true;
}

const date = ns => new Date(ns / 1e6);
const list = (kind, counts) => Object.entries(counts).filter(e => e[1]).map(e => term(kind, e[0]) + ": " + number(e[1])).join(", ");
const outletName = (recipe, k) => (k + " " + (recipe.outlets[k] || "").split(", ").map(n => term("outlet", n)).join(", ")).trim();
const NO_RECIPE = { name: "", hash: "", outlets: {} };

// The state, and what is in force

function showState() {
  const { report } = now, age = report ? report.health.heartbeat_age_s : 0, still = moved === null ? 0 : (Date.now() - moved) / 1000;
  let kind = "good", said = "";
  if (wrong) {
    kind = "bad";
    said = text("state-silent") + (answered ? " " + text("state-old", { time: clock(answered) }) : "");
  } else if (age > 3) {
    kind = "bad";
    said = text("state-hangs", { time: duration(age) });
  } else if (still > STANDS) {
    kind = "still";
    said = text("state-stopped", { time: duration(still) });
  } else {
    said = text("state-running");
  }
  const detail = report ? text("state-detail", { time: moment(new Date(report.begin)), version: report.software }) : "";
  $("state").className = kind === "good" ? "" : kind;
  $("state").replaceChildren(make("b", said), make("span", detail));
  // numbers of before are pale
  for (const e of document.querySelectorAll("#state ~ :not(#commands-part, #answer, dialog)")) e.classList.toggle("old", kind === "bad");
  return kind === "bad";
}

function recipeName(place) {
  const { recipe } = now.report;
  return place.recipe ?? (recipe && recipe.hash === place.hash ? recipe.name : text("recipe-configured"));
}

function recipeCard() {
  const { lanes } = now.force, lines = Object.entries(lanes).map(([name, lane]) => [name, recipeName(lane) +
    (lane.next ? "; " + text("recipe-next", { recipe: recipeName(lane.next), piece: lane.next.from }) : "")]);
  const same = lines.length > 1 && new Set(lines.map(l => l[1])).size === 1;
  return card(text("recipe"), same ? [text("all-lanes") + ": " + lines[0][1]] : lines.map(l => l.join(": ")));
}

const lotLine = lot => [["grower", lot.grower], ["variety", lot.variety], ["bin", lot.bin]].filter(e => e[1])
  .map(([key, value]) => text(key) + ": " + value);

function lotCard() {
  const { lot } = now.force, lines = [lot.lot ?? text("lot-none"), ...lotLine(lot)];
  if (lot.next) lines.push(lot.next.lot ? text("lot-next", { lot: lot.next.lot, piece: lot.next.from }) :
    text("lot-ends", { piece: lot.next.from }));
  return card(text("lot"), lines);
}

// a latency of what was never acknowledged is none
function plcCard(plc, unknown) {
  if (unknown) return card(text("plc"), [text("unknown")], true);
  if (!plc.answering) return card(text("plc"), [text("plc-down", { time: moment(new Date(Date.now() - 1000 * plc.state_s)) }),
    text("plc-written-before", { n: number(plc.written) })], true);
  return card(text("plc"), [text("connected"), plc.written ? text("plc-latency", { time: milliseconds(plc.latency_us.p99 / 1000) }) :
    text("plc-none")]);
}

function brokerCard(p, unknown) {
  const name = text("broker");
  if (unknown) return card(name, [text("unknown")], true);
  if (!(Date.now() - p.t_ns / 1e6 < 5000))
    return card(name, [p.t_ns ? text("publisher-gone", { time: moment(date(p.t_ns)) }) : text("publisher-never")], true);
  const waiting = text("broker-waiting", { n: number(p.waiting_lines) });
  if (!p.connected_since_ns) return card(name, [text("broker-down"), waiting], true);
  return card(name, [text("connected"), waiting]);
}

function showNow(unknown) {
  const cards = [];
  if (now.force) cards.push(lotCard(), recipeCard());
  if (now.report.plc) cards.push(plcCard(now.report.plc, unknown));
  // one that has never run has said nothing
  const silent = (now.alarms || []).some(a => a.what === "publisher-gone" && !a.gone_ns);
  if (now.publisher || silent) cards.push(brokerCard(now.publisher || {}, unknown));
  $("now").replaceChildren(...cards);
}

// Alarms

const amount = { "frames-lost": percent, "frames-late": percent, "deadline-missed": percent, "undecided": percent,
  "disk-waits": megabytes, "plc-out-of-step": number, "decisions-unwritten": number };

function alarmLine(a) {
  const place = [a.lane, a.view === null ? null : text("view", { n: a.view })].filter(x => x !== null).join(", ");
  const said = text("alarm-" + a.what, { value: a.value === null ? "" : amount[a.what] ? amount[a.what](a.value) : number(a.value) });
  const line = make("div", undefined, "alarm" + (a.gone_ns ? " gone" : "") + (a.acknowledged ? " acknowledged" : ""));
  const what = make("div"), times = [text("alarm-since", { time: moment(date(a.since_ns)) })];
  if (a.gone_ns) times.push(text("alarm-gone", { time: moment(date(a.gone_ns)) }));
  if (a.acknowledged)
    times.push(text("alarm-by", { who: a.acknowledged.who, time: moment(date(a.acknowledged.time_ns)) }));
  what.append(make("b", (place ? place + ": " : "") + said), make("span", times.join(" · ")));
  line.append(what);
  if (!a.acknowledged) {
    const b = button(text("acknowledge"), "command", () => commands.send({ do: "alarm-ack", alarm: a.id }));
    b.disabled = commands.isBusy();
    b.dataset.alarm = a.id;
    line.append(b);
  }
  return line;
}

function showAlarms() {
  const alarms = now.alarms || [];
  $("alarms-part").hidden = !alarms.length;
  if (changed("alarms", alarms)) $("alarms").replaceChildren(...alarms.map(alarmLine));
}

// Numbers

function rate(report) {
  const t = report.total, passed = before ? report.seconds - before.seconds : 0;
  return Math.max(0, passed > 0 ? (t.pieces - before.pieces) / passed : t.pieces / report.seconds);
}

function showTiles(report) {
  const t = report.total, tiles = [tile(text("pieces-a-second"), number(now.rate, 1)), tile(text("pieces"), number(t.pieces))];
  const p99 = report.latency_us.last_view_to_decision.p99 / 1000;
  tiles.push(tile(text("deadline", { time: milliseconds(report.deadline_ms) }), milliseconds(p99), p99 > report.deadline_ms));
  tiles.push(tile(text("frames-lost"), number(t.frames.lost), t.frames.lost > 0),
    tile(text("frames-late"), number(t.frames.late), t.frames.late > 0));
  const { bounds, pieces: covered } = t.seen.coverage, n = covered.reduce((a, b) => a + b);
  if (n) {
    const share = covered.reduce((a, b, i) => bounds[i - 1] >= .95 ? a + b : a, 0) / n;
    tiles.push(tile(text("well-seen"), percent(share, 1), share < .99));
  }
  if (report.health.bytes_unsaved > 1e6) tiles.push(tile(text("disk"), megabytes(report.health.bytes_unsaved), true));
  if (report.written.lines_unwritten) tiles.push(tile(text("unwritten"), number(report.written.lines_unwritten), true));
  if (report.plc) {
    const p = report.plc, missed = p.late + p.dropped + p.refused + p.unnumbered;
    tiles.push(tile(text("plc-missed"), number(missed), missed > 0));
    if (p.triggers)
      tiles.push(tile(text("plc-resynchronised"), number(p.triggers.resynchronised), p.triggers.resynchronised > 0));
  }
  if (report.truth) tiles.push(tile(text("truth"), percent(report.truth.share)));
  $("tiles").replaceChildren(...tiles);
}

function showOutlets(report) {
  const t = report.total, outlets = Object.entries(t.outlets), most = Math.max(1, ...outlets.map(o => o[1]));
  const recipe = report.recipe || NO_RECIPE;
  $("outlets").replaceChildren(...outlets.map(([k, n]) =>
    row("td", [outletName(recipe, k), bar(n / most), number(n), percent(n / t.pieces)])));
  const { bounds_ms, pieces } = report.latency_histogram, top = Math.max(1, ...pieces);
  $("latency").replaceChildren(...pieces.map((n, i) => row("td", [i < bounds_ms.length ?
    text("latency-to", { time: milliseconds(bounds_ms[i]) }) : text("latency-longer"), bar(n / top), number(n)])));
}

// minutes that are over, with the seconds that they had: the first one began with the line
function wholeMinutes(trends) {
  return trends.points.slice(0, -1).map((p, i) => ({ ...p, span: Math.min(trends.seconds, trends.points[i + 1].t - p.t) }));
}

function showTrends() {
  const points = now.trends ? wholeMinutes(now.trends) : [];
  $("trends-part").hidden = points.length < 2;
  if (points.length < 2 || !changed("trends", points)) return;
  const draw = (key, series, least) => chart(text(key), points, series, least), tenths = s => percent(s, 1);
  const share = (n, p) => p.pieces ? n / p.pieces : null, recipe = now.report.recipe || NO_RECIPE, whole = n => number(n);
  const outlets = [...new Set(points.flatMap(p => Object.keys(p.outlets)))].sort((a, b) => a - b);
  $("trends").replaceChildren(
    draw("trend-pieces", [{ pick: p => p.span > 0 ? 60 * p.pieces / p.span : null, form: whole }], 1),
    draw("trend-ok", [{ pick: p => share(p.ok, p), form: tenths }], 1),
    draw("trend-frames", [{ name: text("trend-lost"), pick: p => p.lost, form: whole },
      { name: text("trend-late"), pick: p => p.late, form: whole }], 1),
    draw("trend-latency", [{ pick: p => p.p99_ms, form: milliseconds }], 1),
    draw("trend-outlets", outlets.map(k => ({ name: outletName(recipe, k),
      pick: p => share(p.outlets[k] || 0, p), form: tenths })), .1));
}

// Lanes, views, cameras

function viewTile(lane, v, seen, camera) {
  const looks = seen.fruit + seen.none, gone = camera && camera.state !== "running";
  const state = gone ? "view-camera-gone" : seen.dark_since ? "view-is-dark" : looks ? "view-good" : "view-nothing-yet";
  const lines = [looks ? text("view-seen", { share: percent(seen.fruit / looks, 1) }) : "", text("view-lost", { n: number(seen.lost) })];
  if (seen.dark_since) lines.push(text("alarm-since", { time: moment(new Date(seen.dark_since)) }));
  if (camera) lines.push(camera.camera);
  const t = card(text("view", { n: v }), [], gone || Boolean(seen.dark_since));
  t.append(make("b", text(state)), ...lines.filter(l => l).map(l => make("p", l)));
  return t;
}

function showLanes(report) {
  $("views").replaceChildren(...Object.entries(report.lanes).flatMap(([name, lane]) => {
    const views = make("div", undefined, "views");
    views.append(...lane.seen.views.map((seen, v) =>
      viewTile(name, v, seen, report.cameras.find(c => c.lane === name && c.view === v))));
    return [make("h3", name), views];
  }));
  const heads = ["lane", "pieces", "status-ok", "status-partial", "status-late", "status-undecided", "outlet-empty", "doubts",
    "triggers", "frames-in-time", "frames-late", "frames-lost", "why-lost"];
  $("lanes").replaceChildren(row("th", heads.map(key => text(key))), ...Object.entries(report.lanes).map(([name, l]) => {
    const counts = [l.pieces, l.statuses.ok, l.statuses.partial, l.statuses.late, l.statuses.undecided, l.empty];
    const tr = row("td", [name, ...counts.map(n => number(n)), list("doubt", l.seen.doubts), number(l.triggers),
      number(l.frames.in_time), number(l.frames.late), number(l.frames.lost), list("loss", l.losses)]);
    if (l.frames.lost || l.seen.views.some(v => v.dark_since)) tr.className = "bad";
    return tr;
  }));
}

function showCameras(cameras) {
  $("cameras-part").hidden = !cameras.length;
  const heads = ["lane", "view-head", "camera", "state", "for", "frames", "incomplete", "missing", "strays", "spikes", "missed",
    "reconnects", "last-frame"];
  $("cameras").replaceChildren(row("th", heads.map(key => text(key))), ...cameras.map(c => {
    const counts = [c.frames, c.incomplete, c.missing, c.strays, c.spikes, c.missed, c.reconnects];
    const tr = row("td", [c.lane, c.view, c.camera, term("camera", c.state), duration(c.state_s), ...counts.map(n => number(n)),
      c.last_frame_s === null ? text("none") : text("ago", { time: duration(c.last_frame_s) })]);
    if (c.state !== "running") tr.className = "bad";
    return tr;
  }));
}

// Lots and pictures

function link(label, path) {
  const a = make("a", label);
  a.href = path;
  return a;
}
function links(path) {
  const td = make("td", undefined, "links");
  td.append(link(text("report-print"), path + ".html"), " ", link("CSV", path + ".csv"), " ", link("JSON", path + ".json"));
  return td;
}

// l: as GET /lots has it; of the run nothing but its name is known
function reportRow(name, l, path) {
  const marks = (l.running ? " (" + text("lot-running") + ")" : l.open ? " (" + text("lot-open") + ")" : "") +
    (l.whole === false ? " (" + text("lot-not-whole") + ")" : "");
  const tr = row("td", [name + marks, l.grower ?? "", l.variety ?? "", l.bin ?? "", l.pieces === undefined ? "" : number(l.pieces),
    l.first_ns ? moment(date(l.first_ns)) : "", l.last_ns ? moment(date(l.last_ns)) : ""]);
  tr.append(links(path));
  return tr;
}

// of a shift, DATE-HHMM
function shiftStart(name) {
  return name.slice(0, 10) + " " + name.slice(11, 13) + ":" + name.slice(13);
}

function showLots() {
  const lots = now.lots || [], shifts = now.shifts || [];
  $("lots-part").hidden = !now.lots;
  if (!changed("lots", [lots, shifts])) return;
  $("lots").replaceChildren(row("th", ["lot", "grower", "variety", "bin", "pieces", "first", "last"].map(key => text(key))),
    reportRow(text("since-start"), {}, "run"),
    ...lots.map(l => reportRow(l.lot, l, "lots/" + encodeURIComponent(l.lot))),
    // the next one is there before it begins
    ...shifts.filter(l => l.pieces > 0).map(l => reportRow(text("shift", { name: shiftStart(l.shift) }), l, "shifts/" + l.shift)));
  $("lots").rows[0].append(make("th", text("reports")));
}

function caption(d) {
  const marks = Object.entries(d.classes).filter(([k, c]) => k !== "defect" && c.mm2 >= 1)
    .map(([k, c]) => k + " " + number(c.mm2) + " mm²");
  return [clock(date(d.t_trigger_ns)) + " " + text("picture", { lane: d.lane, piece: d.piece, outlet: d.outlet }) +
    ", " + term("outlet", d.reasons[0]), millimetres(d.diameter_mm), ...marks].join(", ");
}
function showPictures(pictures) {
  if (!changed("pictures", pictures.map(p => [p.decision.lane, p.decision.piece]))) return;
  $("pictures").replaceChildren(...pictures.map(p => {
    const f = make("figure"), a = make("a"), i = make("img");
    i.src = a.href = "pictures/" + p.picture + "?" + encodeURIComponent(p.decision.lane + p.decision.piece);
    i.alt = caption(p.decision);
    i.loading = "lazy";
    a.append(i);
    f.append(a, make("figcaption", i.alt));
    return f;
  }));
}

// All of it

function show() {
  const { report } = now, unknown = showState();
  if (!report) return;
  document.title = text("title", { line: report.line });
  $("name").textContent = report.line + (report.simulated ? " (" + text("simulated") + ")" : "");
  showNow(unknown);
  showAlarms();
  showTiles(report);
  showOutlets(report);
  showTrends();
  showLanes(report);
  showCameras(report.cameras);
  $("commands-part").hidden = !now.force;
  if (changed("commands", now.recipes, Object.keys(report.lanes))) commands.show(now.recipes || [], Object.keys(report.lanes));
  showLots();
  showPictures(now.pictures);
}

// what a line does not have is null
async function get(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(5000) });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(path + ": " + answer.status);
  return answer.json();
}

async function update() {
  const paths = { report: "report.json", pictures: "pictures.json", publisher: "publisher.json", alarms: "alarms.json",
    force: "in-force.json" };
  if (Date.now() - slowly > SLOW || Date.now() < hurry) Object.assign(paths, { trends: "trends.json", lots: "lots", shifts: "shifts", recipes: "recipes" });
  const found = await Promise.all(Object.entries(paths).map(async ([name, path]) => [name, await get(path)]));
  now = { ...now, ...Object.fromEntries(found) };
  if (!now.report || !now.pictures) throw new Error("404");
  if ("lots" in paths) slowly = Date.now();
  now.rate = rate(now.report);
  if (!before || before.pieces !== now.report.total.pieces) moved = Date.now();
  before = { seconds: now.report.seconds, pieces: now.report.total.pieces };
  answered = new Date();
}

let timer = 0, running = false;
async function turn() {
  clearTimeout(timer);
  if (running) return;
  running = true;
  try {
    await update();
    wrong = null;
  } catch (error) {
    wrong = error;
  }
  running = false;
  timer = setTimeout(turn, PERIOD);
  show();
}

async function begin() {
  for (const [code, name] of Object.entries(LANGUAGES)) {
    const o = make("option", name);
    o.value = code;
    o.lang = code;
    $("language").append(o);
  }
  $("language").value = choose();
  $("language").addEventListener("change", async () => {
    await load($("language").value);
    localStorage.setItem("language", $("language").value);
    history.replaceState(null, "", location.pathname);
    show();
  });
  await load($("language").value);
  commands.begin(() => { hurry = Date.now() + HURRY; turn(); });
  turn();
}
begin();
