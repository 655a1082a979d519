"use strict";
const $ = id => document.getElementById(id);
let last = null, shown = "", answered = null;

// elements are made, not parsed: names come from files
function make(tag, text, name) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (name) e.className = name;
  return e;
}
function row(tag, cells) {
  const tr = make("tr");
  for (const c of cells) tr.append(c instanceof Node ? c : make(tag, c));
  return tr;
}
function bar(share) {
  const td = make("td", undefined, "bars"), b = make("div", undefined, "bar");
  b.style.width = 100 * share + "%";
  if (share) td.append(b);
  return td;
}
function tile(label, value, bad) {
  const t = make("div", undefined, bad ? "tile bad" : "tile");
  t.append(make("b", value), label);
  return t;
}
const ms = us => (us / 1000).toFixed(us < 1e6 ? 1 : 0) + " ms";
const time = s => s < 120 ? s.toFixed(0) + " s" : s < 7200 ? (s / 60).toFixed(0) + " min" : (s / 3600).toFixed(0) + " h";
const percent = share => (100 * share).toFixed(2) + " %";

// a latency of what was never acknowledged is none
function plcTile(p) {
  if (!p.answering)
    return tile("the PLC does not answer; pieces acknowledged before: " + p.written.toLocaleString("en"), "for " + time(p.state_s), true);
  return p.written ? tile("acknowledged by the PLC, 99 % within", ms(p.latency_us.p99)) :
    tile("acknowledged by the PLC", "none yet");
}

// views that show no fruit where others show it
function darkViews(lanes) {
  return Object.entries(lanes).flatMap(([name, lane]) => lane.seen.views.flatMap((v, i) =>
    v.dark_since ? make("div", name + ": view " + i + " is dark: it has shown no fruit that other views show since " +
      new Date(v.dark_since).toLocaleString() + ". Look at its lamp, its lens and its aim.", "alarm") : []));
}

// lanes whose triggers are not known to be the PLC's
function plcAlarm(plc) {
  const t = plc && plc.triggers;
  return t && t.agreed < t.lanes ? [make("div", (t.lanes - t.agreed) + " of " + t.lanes + " lanes are not known to count the PLC's " +
    "triggers: their pieces are undecided. The line's messages say why.", "alarm")] : [];
}

const list = counts => Object.entries(counts).filter(e => e[1]).map(e => e[0] + ": " + e[1]).join(", ");
// of the looks of pieces that others show, those of each view that show them
const fruit = seen => seen.views.map(v => v.fruit + v.none ? (100 * v.fruit / (v.fruit + v.none)).toFixed(1) : "-").join(", ");

function show(report) {
  const t = report.total, tiles = [], passed = last ? report.seconds - last.seconds : 0;
  const rate = passed > 0 ? (t.pieces - last.pieces) / passed : t.pieces / report.seconds;
  last = { seconds: report.seconds, pieces: t.pieces };
  document.title = report.line + " - fruit line";
  $("name").textContent = report.line + (report.simulated ? " (simulated)" : "");
  const recipe = report.recipe || { name: "", hash: "", outlets: {} };
  $("state").textContent = "since " + new Date(report.begin).toLocaleString() + ", recipe " + recipe.name + " (" +
    recipe.hash.slice(0, 12) + "), version " + report.software;
  const age = report.health.heartbeat_age_s;
  if (age > 3) $("state").textContent = "the line hangs: it has not lived for " + age.toFixed(0) + " s";
  tell(age > 3);
  $("alarms").replaceChildren(...darkViews(report.lanes), ...plcAlarm(report.plc));
  tiles.push(tile("pieces a second", Math.max(rate, 0).toFixed(1)), tile("pieces", t.pieces.toLocaleString("en")));
  const p99 = report.latency_us.last_view_to_decision.p99;
  tiles.push(tile("to decide, 99 % within; the deadline is " + report.deadline_ms + " ms", ms(p99), p99 / 1000 > report.deadline_ms));
  tiles.push(tile("frames lost", t.frames.lost, t.frames.lost > 0), tile("frames late", t.frames.late, t.frames.late > 0));
  const { bounds, pieces: covered } = t.seen.coverage, n = covered.reduce((a, b) => a + b);
  if (n) {
    const share = covered.reduce((a, b, i) => bounds[i - 1] >= .95 ? a + b : a, 0) / n;
    tiles.push(tile("of pieces seen to more than 95 %", (100 * share).toFixed(1) + " %", share < .99));
  }
  if (report.health.bytes_unsaved > 1e6)
    tiles.push(tile("wait for the disk", (report.health.bytes_unsaved / 1e6).toFixed(1) + " MB", true));
  if (report.written.lines_unwritten) tiles.push(tile("decisions not written", report.written.lines_unwritten, true));
  if (report.plc) {
    const p = report.plc, missed = p.late + p.dropped + p.refused + p.unnumbered;
    tiles.push(plcTile(p));
    tiles.push(tile("not in the PLC in time", missed, missed > 0));
    if (p.triggers)
      tiles.push(tile("out of step with the PLC, and resynchronised", p.triggers.resynchronised, p.triggers.resynchronised > 0));
  }
  if (report.truth) tiles.push(tile("right, against the truth", percent(report.truth.share)));
  $("tiles").replaceChildren(...tiles);

  const outlets = Object.entries(t.outlets), most = Math.max(1, ...outlets.map(o => o[1]));
  $("outlets").replaceChildren(...outlets.map(([k, n]) => row("td", [k + " " + (recipe.outlets[k] || ""), bar(n / most), n, percent(n / t.pieces)])));

  const { bounds_ms, pieces } = report.latency_histogram, top = Math.max(1, ...pieces);
  $("latency").replaceChildren(...pieces.map((n, i) =>
    row("td", [i < bounds_ms.length ? "to " + bounds_ms[i] + " ms" : "longer", bar(n / top), n])));

  $("lanes").replaceChildren(row("th", ["lane", "pieces", "ok", "partial", "late", "undecided", "empty",
    "doubts", "looks with fruit by view, %", "triggers", "frames in time", "late", "lost", "why lost"]),
    ...Object.entries(report.lanes).map(([name, l]) => {
      const tr = row("td", [name, l.pieces, l.statuses.ok, l.statuses.partial, l.statuses.late, l.statuses.undecided, l.empty,
        list(l.seen.doubts), fruit(l.seen), l.triggers, l.frames.in_time, l.frames.late, l.frames.lost, list(l.losses)]);
      if (l.frames.lost || l.seen.views.some(v => v.dark_since)) tr.className = "bad";
      return tr;
    }));
}

function showCameras(list) {
  $("cameras-part").hidden = !list.length;
  $("cameras").replaceChildren(row("th", ["lane", "view", "camera", "state", "for", "frames", "incomplete", "missing",
    "strays", "spikes", "missed", "came back", "last frame"]),
    ...list.map(c => {
      const tr = row("td", [c.lane, c.view, c.camera, c.state, time(c.state_s), c.frames, c.incomplete, c.missing, c.strays,
        c.spikes, c.missed, c.reconnects, c.last_frame_s === null ? "none" : time(c.last_frame_s) + " ago"]);
      if (c.state !== "running") tr.className = "bad";
      return tr;
    }));
}

function caption(d) {
  const marks = Object.entries(d.classes).filter(([k, c]) => k !== "defect" && c.mm2 >= 1)
    .map(([k, c]) => k + " " + c.mm2.toFixed(0) + " mm2");
  return [new Date(d.t_trigger_ns / 1e6).toLocaleTimeString() + " " + d.lane + " piece " + d.piece + ": outlet " + d.outlet +
    ", " + d.reasons[0],
    d.diameter_mm.toFixed(1) + " mm", ...marks].join(", ");
}
function showPictures(list) {
  const key = list.map(p => p.decision.lane + p.decision.piece).join();
  if (key === shown) return;
  shown = key;
  $("pictures").replaceChildren(...list.map(p => {
    const f = make("figure"), a = make("a"), i = make("img");
    i.src = a.href = "pictures/" + p.picture + "?" + p.decision.lane + p.decision.piece;
    i.alt = caption(p.decision);
    i.loading = "lazy";
    a.append(i);
    f.append(a, make("figcaption", i.alt));
    return f;
  }));
}

// what takes decisions to a broker, if the line has that
function showPublisher(p) {
  if (!p) return;
  const seconds = (Date.now() - p.t_ns / 1e6) / 1000, gone = seconds > 5;
  const state = gone ? "publisher does not run" : p.connected_since_ns ? "decisions wait for the broker" : "wait: no broker";
  $("tiles").append(tile(state, p.waiting_lines.toLocaleString("en"), gone || !p.connected_since_ns));
}

// what is bad is said at the top, and numbers of before are pale
function tell(bad) {
  $("state").className = bad ? "bad" : "";
  for (const e of document.querySelectorAll("h1 ~ :not(#state)")) e.classList.toggle("old", bad);
}

async function update() {
  try {
    const [report, pictures, publisher] = await Promise.all(["report.json", "pictures.json", "publisher.json"].map(async path => {
      const answer = await fetch(path, { signal: AbortSignal.timeout(5000) });
      if (!answer.ok) throw new Error(path + ": " + answer.status);
      return answer.json();
    }));
    show(report);
    showPublisher(publisher);
    showCameras(report.cameras);
    showPictures(pictures);
  } catch (error) {
    $("state").textContent = "the line does not answer" + (answered ? ", the numbers are those of " +
      answered.toLocaleTimeString() : "") + ": " + error.message;
    tell(true);
    setTimeout(update, 2000);
    return;
  }
  answered = new Date();
  setTimeout(update, 2000);
}
update();
