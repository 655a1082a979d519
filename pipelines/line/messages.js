// Texts, numbers and times in the language of the person at the machine.
export const LANGUAGES = { en: "English", it: "Italiano", de: "Deutsch", es: "Español" };
let texts = {}, locale = "en";

// what was chosen here, or is asked for by the address, or is the browser's
export function choose() {
  const asked = [new URLSearchParams(location.search).get("lang"), localStorage.getItem("language"), ...navigator.languages];
  return asked.map(l => (l || "").slice(0, 2).toLowerCase()).find(l => l in LANGUAGES) || "en";
}

export async function load(language) {
  const answer = await fetch("messages/" + language + ".json", { signal: AbortSignal.timeout(5000) });
  if (!answer.ok) throw new Error("messages/" + language + ".json: " + answer.status);
  texts = await answer.json();
  // the region is the browser's: 24 hours or 12, and the order of a date
  locale = navigator.languages.find(l => l.toLowerCase().startsWith(language)) || language;
  document.documentElement.lang = language;
  for (const e of document.querySelectorAll("[data-text]")) e.textContent = text(e.dataset.text);
}

export const text = (key, values) => (key in texts ? texts[key] : key).replace(/\{([a-z]+)\}/g,
  (all, name) => values && name in values ? values[name] : all);
// of a name that the line has, or else the name
export const term = (kind, name) => kind + "-" + name in texts ? texts[kind + "-" + name] : name;

export const number = (n, decimals = 0) => n.toLocaleString(locale,
  { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
export const percent = (share, decimals = 2) => share.toLocaleString(locale,
  { style: "percent", minimumFractionDigits: decimals, maximumFractionDigits: decimals });
const unit = (n, name, decimals = 0) => n.toLocaleString(locale,
  { style: "unit", unit: name, minimumFractionDigits: decimals, maximumFractionDigits: decimals });
export const milliseconds = ms => unit(ms, "millisecond", ms < 1e3 && !Number.isInteger(ms) ? 1 : 0);
export const megabytes = bytes => unit(bytes / 1e6, "megabyte", 1);
export const millimetres = mm => unit(mm, "millimeter", 1);
export const duration = s => s < 120 ? unit(s, "second") : s < 7200 ? unit(s / 60, "minute") : unit(s / 3600, "hour");
export const clock = date => date.toLocaleTimeString(locale);
export const minute = date => date.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
// today's need no date
export function moment(date) {
  return date.toDateString() === new Date().toDateString() ? clock(date) :
    date.toLocaleString(locale, { dateStyle: "short", timeStyle: "medium" });
}
