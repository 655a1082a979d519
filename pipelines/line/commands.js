// What the person at the machine changes.
import { $, make } from "./draw.js";
import { text } from "./messages.js";

// a disk may take the line ten seconds, and then it says so
const LONGEST = 15000, FADE = 15000;
let busy = false, fade = 0, changed = () => {};

const token = () => sessionStorage.getItem("token");

function showToken() {
  $("sign-in").hidden = Boolean(token());
  $("signed-in").hidden = !token();
}

function setBusy(is) {
  busy = is;
  for (const b of document.querySelectorAll("button.command")) b.disabled = is || b.dataset.off === "1";
}
export const isBusy = () => busy;

// why: what the line says, in its own language; what went well need not stay
function say(message, bad, why) {
  clearTimeout(fade);
  if (!bad && !busy) fade = setTimeout(() => $("answer").replaceChildren(), FADE);
  $("answer").className = bad ? "answer bad" : "answer";
  $("answer").replaceChildren(make("span", message));
  if (why) {
    const said = make("q", why.trim());
    said.lang = "en";
    $("answer").append(" ", said);
  }
}

function ask(question) {
  return new Promise(resolve => {
    $("question").textContent = question;
    $("confirm").onclose = () => resolve($("confirm").returnValue === "yes");
    $("confirm").returnValue = "";
    $("confirm").showModal();
    $("confirm-no").focus();
  });
}

async function post(command) {
  const answer = await fetch("command", { method: "POST", signal: AbortSignal.timeout(LONGEST), body: JSON.stringify(command),
    headers: { "Authorization": "Bearer " + token(), "Content-Type": "application/json" } });
  const body = await answer.text();
  setBusy(false);
  if (answer.status === 200) say(text("answer-done"), false);
  else if (answer.status === 202) say(text("answer-later"), false);
  else if (answer.status === 409) say(text("answer-refused"), true, JSON.parse(body).why);
  else if (answer.status === 401) {
    sessionStorage.removeItem("token");
    showToken();
    say(text("answer-token"), true);
    $("token").focus();
  } else if (answer.status === 403) say(text("answer-forbidden"), true, body.split("\n").slice(1).join("\n"));
  else if (answer.status === 503) say(text("answer-full"), true);
  else say(text("answer-other", { status: answer.status }), true, body);
}

// question: what is asked first, if it changes what is decided
export async function send(command, question) {
  if (busy) return;
  if (!token()) {
    say(text("answer-no-token"), true);
    $("token").focus();
    return;
  }
  if (question && !await ask(question)) return;
  setBusy(true);
  say(text("answer-wait"), false);
  try {
    await post(command);
  } catch (error) {
    say(text(error.name === "TimeoutError" ? "answer-timeout" : "answer-gone"), true);
  }
  setBusy(false);
  changed();
}

const when = from => from === undefined ? text("ask-now") : text("ask-from", { piece: from });
const from = id => $(id).value === "" ? {} : { from: Number($(id).value) };

function changeRecipe() {
  const command = { do: "recipe", recipe: $("recipe").value, ...from("recipe-from") };
  if ($("lane").value) command.lane = $("lane").value;
  send(command, text("ask-recipe", { recipe: command.recipe, lane: command.lane || text("all-lanes"), when: when(command.from) }));
}

function beginLot() {
  const command = { do: "lot-begin", lot: $("lot").value.trim(), ...from("lot-from") };
  for (const name of ["grower", "variety", "bin"])
    if ($(name).value.trim()) command[name] = $(name).value.trim();
  send(command, text("ask-lot", { lot: command.lot, when: when(command.from) }));
}

function endLot() {
  const command = { do: "lot-end", ...from("lot-from") };
  send(command, text("ask-lot-end", { when: when(command.from) }));
}

// what there is to choose stays chosen
function offer(select, options) {
  const chosen = select.value;
  select.replaceChildren(...options.map(([value, label]) => { const o = make("option", label); o.value = value; return o; }));
  if (options.some(o => o[0] === chosen)) select.value = chosen;
}

export function show(recipes, lanes) {
  offer($("recipe"), recipes.map(r => [r, r]));
  offer($("lane"), [["", text("all-lanes")], ...lanes.map(l => [l, l])]);
  $("change-recipe").querySelector("button").dataset.off = recipes.length ? "0" : "1";
  setBusy(busy);
}

// whenChanged: called when a command has been answered
export function begin(whenChanged) {
  changed = whenChanged;
  const submitted = (id, act) => $(id).addEventListener("submit", event => { event.preventDefault(); act(); });
  submitted("sign-in", () => {
    sessionStorage.setItem("token", $("token").value.trim());
    $("token").value = "";
    $("answer").replaceChildren();
    showToken();
  });
  $("sign-out").addEventListener("click", () => { sessionStorage.removeItem("token"); showToken(); });
  submitted("change-recipe", changeRecipe);
  submitted("begin-lot", beginLot);
  $("end-lot").addEventListener("click", endLot);
  $("reload").addEventListener("click", () => send({ do: "reload" }, text("ask-reload")));
  $("confirm-yes").addEventListener("click", () => $("confirm").close("yes"));
  $("confirm-no").addEventListener("click", () => $("confirm").close("no"));
  showToken();
}
