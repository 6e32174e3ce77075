"use strict";
// Every state is in the fragment of the address: #/de?q=river&show=weak, #/class/Q515, #/de/quiz?at=3&right=2, #/de/walls.
// Words of the data only ever become text nodes.
const MARKS = { in: ["●", "cluster"] };
const SOURCES = ["anchor", "label", "title"];
const UNNAMED = ["", "a label, because no link names the page", "a title, because no link names the page"];
const SIDE = 4;
const PAGE = 24, SIDE_BY_SIDE = 6;
const main = document.getElementById("main"), choose = document.getElementById("choose");
let index = null;
const loaded = new Map(), waiting = new Map();

const wikisem = {
  index(value) { index = value; Object.assign(MARKS, value.outliers); start(); },
  language(value) { loaded.set(value.code, value); },
};

function load(code) {
  if (loaded.has(code)) return Promise.resolve(loaded.get(code));
  if (!waiting.has(code)) {
    waiting.set(code, new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = `data/${code}.js`;
      script.onload = () => loaded.has(code) ? done(loaded.get(code)) : failed(new Error(code));
      script.onerror = () => failed(new Error(code));
      document.head.append(script);
    }));
  }
  return waiting.get(code);
}

function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, String(value));
  }
  element.append(...children.flat().filter((child) => child != null && child !== ""));
  return element;
}

// The interface is in the language that is looked at, if index.texts has it: English texts, others by them.
let tongue = "en";
const said = (text) => (index.texts[tongue] || {})[text] ?? text;
const t = (text, ...values) => said(text).replace(/\{(\d)\}/g, (_, at) => values[at]);
// The same with elements in place of {0} and {1}.
const parts = (text, ...nodes) => said(text).split(/\{(\d)\}/).map((piece, at) => at % 2 ? nodes[piece] : piece).flat();
// "Deutsch" and not "German" where the interface is in German.
const called = (own) => tongue === "en" ? own.name : new Intl.DisplayNames([tongue], { type: "language" }).of(own.tag);
const titled = (own) => `${called(own)} (${own.code})`;
const language = (code) => index.languages.find((one) => one.code === code);
// By hand: the browser's own formatting takes longer than all else in the overview of 300 languages.
const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const percent = (value) => value == null ? "–" : `${(100 * value).toFixed(0)} %`;
const score = (value) => value == null ? "–" : value.toFixed(1);
const bdi = (text, own) => el("bdi", { lang: own.tag, dir: "auto" }, text);
// A class without a label in the language has its English one, and says so.
const title = (group, own) => group.english ? el("span", {}, bdi(group.label, { tag: "en" }), " ", el("span", { class: "soft", dir: "ltr" }, `(${t("label in English")})`)) : bdi(group.label, own);
const link = (href, ...children) => el("a", { href, ...(href.startsWith("#") ? {} : { rel: "noreferrer", target: "_blank" }) }, ...children);
const counts = (value) => Object.entries(value).map(([name, count]) => `${t(name)} ${number(count)}`).join(", ");

function address(path, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "" && value != null));
  return `#/${path}${[...query].length ? `?${query}` : ""}`;
}

// A part of an address that somebody typed: one that decodes to nothing is looked for as it is, and not found.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query || "") };
}

function start() {
  choose.append(el("option", { value: "", "data-t": true }, "all"), ...index.languages.map((one) => el("option", { value: one.code }, `${one.code} · ${one.name}`)));
  choose.addEventListener("change", () => { location.hash = address(choose.value); });
  document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  window.addEventListener("hashchange", show);
  show();
}

let turn = 0, lastPath = null;
async function show() {
  const mine = ++turn, { parts: path_parts, query } = place();
  const own = language(path_parts[0]) || (index.languages.length === 1 ? index.languages[0] : null);
  let content;
  tongue = own && index.texts[own.tag] ? own.tag : "en";
  try {
    content = await route(path_parts, query);
  } catch (error) {
    content = [el("h1", {}, t("Not found")), el("p", {}, t("There are no data for {0}.", error.message)), el("p", {}, link("#/", t("All languages")))];
  }
  if (mine !== turn) return;
  const typing = document.activeElement && document.activeElement.id === "q";
  const path = path_parts.join("/");
  main.replaceChildren(...content);
  choose.value = language(path_parts[0]) ? path_parts[0] : "";
  document.documentElement.lang = tongue;
  for (const one of document.querySelectorAll("[data-t]")) one.textContent = t(one.dataset.t ||= one.textContent);
  // Marks are explained where there are any.
  document.querySelector("footer").hidden = !main.querySelector(".word.in");
  const heading = main.querySelector("h1");
  document.title = `${heading ? heading.textContent : ""} · ${index.about.name}`;
  if (typing) { const box = document.getElementById("q"); box.focus(); box.setSelectionRange(box.value.length, box.value.length); }
  else if (lastPath !== null && (path !== lastPath || query.has("at"))) { heading.tabIndex = -1; heading.focus(); }
  lastPath = path;
}

async function route(parts, query) {
  if (!parts.length) return overview();
  if (parts[0] === "class" && parts[1]) return sideBySide(parts[1], query);
  const own = language(parts[0]);
  if (!own) throw new Error(parts[0]);
  const data = await load(own.code);
  if (parts[1] === "rejected") return rejected(own, data, query);
  if (parts[1] === "quiz") return quiz(own, data, query);
  if (parts[1] === "walls" && data.walls) return walls(own, data, query);
  if (parts[1]) throw new Error(parts.join("/"));
  return groups(own, data, query);
}

function table(caption, names, rows) {
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t(caption) }, el("table", {},
    el("caption", {}, t(caption)),
    el("thead", {}, el("tr", {}, ...names.map((name, at) => el("th", { scope: "col", class: rows.length && typeof rows[0][at] === "number" ? "number" : null }, t(name))))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell, at) => at === 0
      ? el("th", { scope: "row" }, cell) : el("td", { class: typeof cell === "number" || /^(–|\d+\.\d)$/.test(cell) ? "number" : null }, typeof cell === "number" ? number(cell) : cell)))))));
}

// Begins with a group, so that one sees what a set is: in the language of the browser, else in that with most groups.
async function overview() {
  const filled = index.languages.filter((one) => one.groups);
  const own = filled.find((one) => one.tag === navigator.language.split("-")[0]) || [...filled].sort((one, other) => other.groups - one.groups)[0];
  const walled = [own, ...filled].find((one) => one && one.walls);
  const found = own ? (await load(own.code)).groups : [];
  const group = found.find((one) => !isWeak(one, own)) || found[0];
  const models = [...new Set(index.languages.flatMap((one) => Object.keys(one.scores)))];
  const rows = index.languages.map((one) => [
    one.groups || Object.keys(one.rejected).length ? link(address(one.code), `${one.code} · ${one.name}`) : one.code,
    one.groups, one.cases, counts(one.sources), Object.values(one.rejected).reduce((sum, count) => sum + count, 0),
    ...models.map((model) => score(one.scores[model])),
  ]);
  const about = Object.entries(index.about.facts).map(([name, value]) => [name, el("span", {}, String(value))]);
  return [
    el("h1", {}, index.about.name),
    group ? el("p", {}, t("A group has words of one class, and words that do not belong. The quiz asks which these are."), " ", link(address(`${own.code}/quiz`), t("Quiz")),
      walled ? el("span", {}, " · ", link(address(`${walled.code}/walls`), t("Walls"))) : "") : "",
    group ? card(group, own, { title: el("span", {}, link(address(own.code), called(own)), ": ", title(group, own)) }) : "",
    el("p", {}, t("Test cases: {0}. Languages with groups: {1}.", number(index.languages.reduce((sum, one) => sum + one.cases, 0)), filled.length)),
    table("Languages", ["language", "groups", "cases", "words from", "rejected classes", ...models.map((model) => t("OPP of {0}", model))], rows),
    el("h2", {}, t("How it was made")),
    table("Recipe, versions and dumps", ["what", "value"], about),
  ].filter(Boolean);
}

function tabs(own, here) {
  const items = [["", "Groups"], ["/rejected", "Rejected classes"], ["/quiz", "Quiz"], ...((loaded.get(own.code) || {}).walls ? [["/walls", "Walls"]] : [])];
  return el("nav", { "aria-label": t("parts of {0}", called(own)) }, el("ul", { class: "tabs" }, ...items.map(([path, name]) =>
    el("li", {}, el("a", { href: address(own.code + path), "aria-current": path === here ? "page" : null }, t(name))))));
}

function weakness(row, own) {
  const [, , source, count, total, links, , other] = row;
  // Where no links were read, every word is a label or a title.
  if (source && own.sources.anchor) return t(UNNAMED[source]);
  if (other) return t("its language is {0}", other);
  if (source) return "";
  if (links && count / links < 0.5) return t("only {0} of the links with this anchor lead to the page", percent(count / links));
  if (total && count / total < 0.3) return t("only {0} of the links to the page have this anchor", percent(count / total));
  return total < 3 ? t("fewer than three links") : "";
}

function word(row, kind, own, about) {
  const weak = weakness(row, own), name = `${t(MARKS[kind][1])}${weak ? `, ${t("weak")}` : ""}`;
  const open = () => { if (about.current !== row) { about.current = row; about.replaceChildren(details(row, kind, own, weak)); } about.hidden = false; };
  // Enter goes on to the details, whose links Tab then reaches; Escape comes back.
  const enter = () => { open(); about.onkeydown = (key) => { if (key.key === "Escape") button.focus(); }; about.focus(); };
  const button = el("button", { type: "button", class: `word ${kind}${weak ? " weakly" : ""}`, onclick: enter, onfocus: open, onmouseenter: open, "aria-label": `${row[1]}, ${name}` },
    el("span", { "aria-hidden": "true" }, `${MARKS[kind][0]} `), bdi(row[1], own), weak ? el("span", { class: "weak", "aria-hidden": "true" }, " ~") : "");
  return el("li", {}, button);
}

function details(row, kind, own, weak) {
  const [item, surface, source, count, total, links, sitelinks, , , via, margin, ties, proof] = row;
  const data = loaded.get(own.code);
  const named = (qid) => el("span", {}, link(`https://www.wikidata.org/wiki/Q${qid}`, `Q${qid}`), data && data.names[qid] ? el("span", {}, " ", bdi(data.names[qid], own)) : "");
  const facts = [
    ["word", bdi(surface, own)],
    ["item", link(`https://www.wikidata.org/wiki/Q${item}`, `Q${item}`)],
    ["page", own.wiki ? link(`https://www.wikidata.org/wiki/Special:GoToLinkedPage/${own.wiki}/Q${item}`, t("in {0} Wikipedia", called(own))) : "–"],
    ["from", t(SOURCES[source])],
    total ? ["links to the page", t("{0} of {1} have this anchor ({2})", number(count), number(total), percent(count / total))] : null,
    links ? ["page share", t("{0} of {1} links with this anchor", percent(count / links), number(links))] : null,
    ["sitelinks", number(sitelinks)],
    kind === "in" ? null : ["brought by", named(via)],
    proof ? ["certificate", el("span", {}, ...parts("of {0} other instances of {1} and {2} of the class, none is an instance of both", number(proof[1]), named(proof[0]), number(proof[2])))] : null,
    ties ? ["tied by", el("span", {}, ...ties.flatMap(([one, property, other], at) => [at ? "; " : "", bdi(one, own), " ", link(`https://www.wikidata.org/wiki/Property:${property}`, property), " ", bdi(other, own)]))] : null,
    margin == null ? null : ["margin", t("{0}, its statements are more typical of the class than those of {1} of the class's instances", margin.toFixed(2), percent(margin))],
    weak ? ["weak", weak] : null,
  ];
  return el("dl", {}, ...facts.filter(Boolean).flatMap(([name, value]) => [el("dt", {}, t(name)), el("dd", {}, value)]));
}

function card(group, own, options = {}) {
  const about = el("div", { class: "about", dir: "ltr", tabindex: -1, hidden: true });
  const kinds = group.out.map((row) => `o${row[8]}`);
  const several = (index.classes[group.q] || []).length;
  const scores = Object.entries(group.scores || {}).map(([model, [opp, accuracy]]) =>
    el("li", { class: accuracy != null && accuracy < 50 ? "score bad" : "score" }, t("{0}: OPP {1}, accuracy {2}", model, opp == null ? "–" : opp.toFixed(0), accuracy == null ? "–" : `${accuracy.toFixed(0)} %`)));
  return el("article", { class: "card", dir: own.dir, "aria-label": `${group.label}, ${own.name}` },
    el("h2", {}, options.title || title(group, own)),
    el("p", { class: "soft", dir: "ltr" }, link(`https://www.wikidata.org/wiki/Q${group.q}`, `Q${group.q}`), several > 1 && !options.title ? el("span", {}, " · ", link(address(`class/Q${group.q}`), t("in {0} languages", several))) : "", group.coherence == null ? "" : ` · ${t("coherence {0}", group.coherence.toFixed(2))}`),
    el("ul", { class: "words" }, ...group.in.map((row) => word(row, "in", own, about))),
    el("ul", { class: "words" }, ...group.out.map((row, at) => word(row, kinds[at], own, about))),
    scores.length ? el("ul", { class: "soft", dir: "ltr" }, ...scores) : "", about);
}

const worst = (group) => Math.min(...Object.values(group.scores || {}).map(([opp]) => opp ?? Infinity));
const isWeak = (group, own) => [...group.in, ...group.out].some((row) => weakness(row, own));

function matches(group, wanted) {
  if (!wanted) return true;
  const low = wanted.toLowerCase(), ids = [group, ...group.in, ...group.out].map((one) => `q${one.q || one[0]}`);
  return group.label.toLowerCase().includes(low) || ids.includes(low) || [...group.in, ...group.out].some((row) => row[1].toLowerCase().includes(low));
}

function control(name, label, query, base, input) {
  input.id = name;
  input.addEventListener(input.tagName === "INPUT" ? "input" : "change", () => {
    const next = Object.fromEntries(query);
    next[name] = input.value;
    delete next.page;
    history.replaceState(null, "", address(base, next));
    show();
  });
  return el("label", {}, `${t(label)} `, input);
}

function select(query, name, options) {
  const input = el("select", {}, ...options.map(([value, text]) => el("option", { value }, t(text))));
  input.value = query.get(name) || options[0][0];
  return input;
}

function pager(total, page, base, query, name) {
  if (total <= PAGE) return "";
  const last = Math.ceil(total / PAGE), to = (at) => address(base, { ...Object.fromEntries(query), page: at });
  return el("nav", { "aria-label": t(name) }, el("ul", { class: "tabs" },
    page > 1 ? el("li", {}, el("a", { href: to(page - 1) }, t("Previous"))) : "", el("li", {}, t("page {0} of {1}", page, last)), page < last ? el("li", {}, el("a", { href: to(page + 1) }, t("Next"))) : ""));
}

function groups(own, data, query) {
  const scored = data.groups.some((group) => group.scores);
  const sort = query.get("sort") || "class", show_ = query.get("show") || "all";
  let found = data.groups.filter((group) => matches(group, (query.get("q") || "").trim()));
  if (show_ === "weak") found = found.filter((group) => isWeak(group, own));
  if (show_ === "fails") found = found.filter((group) => Object.values(group.scores || {}).some(([, accuracy]) => accuracy < 50));
  if (sort === "label") found = [...found].sort((one, other) => one.label.localeCompare(other.label, own.tag));
  if (sort === "coherence") found = [...found].sort((one, other) => (one.coherence ?? Infinity) - (other.coherence ?? Infinity));
  if (sort === "score") found = [...found].sort((one, other) => worst(one) - worst(other));
  const page = Math.max(1, Number(query.get("page")) || 1);
  const shows = [["all", "all groups"], ["weak", "with weak words"], ...(scored ? [["fails", "that a model fails"]] : [])];
  const sorts = [["class", "class number"], ["label", "label"], ...(data.groups.some((group) => group.coherence != null) ? [["coherence", "lowest coherence"]] : []), ...(scored ? [["score", "lowest score"]] : [])];
  return [
    el("h1", {}, titled(own)), tabs(own, ""),
    el("div", { class: "filters", role: "search" },
      control("q", "Word, label or QID", query, own.code, el("input", { type: "search", value: query.get("q") || "", autocomplete: "off" })),
      control("show", "Show", query, own.code, select(query, "show", shows)), control("sort", "Sort by", query, own.code, select(query, "sort", sorts))),
    el("p", { role: "status", class: "soft" }, t("{0} of {1} groups", number(found.length), number(data.groups.length)) + (own.sources.anchor ? "" : `; ${t("no word is from links: all are labels or titles")}`)),
    pager(found.length, page, own.code, query, "pages"),
    el("div", { class: "cards" }, ...found.slice((page - 1) * PAGE, page * PAGE).map((group) => card(group, own))), pager(found.length, page, own.code, query, "pages, after the groups")];
}

async function sideBySide(qid, query) {
  const here = (index.classes[qid.replace(/^Q/, "")] || []).map((at) => index.languages[at]);
  if (!here.length) throw new Error(qid);
  const count = Math.min(here.length, Number(query.get("n")) || SIDE_BY_SIDE), own = here.slice(0, count);
  const found = (await Promise.all(own.map((one) => load(one.code)))).map((data) => data.groups.find((group) => `Q${group.q}` === qid));
  const named = found[own.findIndex((one) => one.code === "en")] || found[0];
  return [
    el("h1", {}, t("{0} ({1}) in {2} languages", named.label, qid, here.length)),
    el("div", { class: "cards" }, ...found.map((group, at) => card(group, own[at], { title: el("span", {}, link(address(own[at].code, { q: qid }), own[at].name), ": ", title(group, own[at])) }))),
    count < here.length ? el("p", {}, link(address(`class/${qid}`, { n: count + SIDE_BY_SIDE }), t("{0} more languages", Math.min(SIDE_BY_SIDE, here.length - count)))) : ""].filter(Boolean);
}

function rejected(own, data, query) {
  const reason = query.get("reason") || "", total = Object.values(own.rejected).reduce((sum, count) => sum + count, 0);
  const found = data.rejected.filter((row) => !reason || row[1] === reason);
  const reasons = [["", "every reason"], ...Object.entries(own.rejected).map(([name, count]) => [name, `${name} (${number(count)})`])];
  return [
    el("h1", {}, t("{0}: classes without a group", titled(own))), tabs(own, "/rejected"),
    el("div", { class: "filters" }, control("reason", "Reason", query, `${own.code}/rejected`, select(query, "reason", reasons))),
    el("p", { role: "status", class: "soft" }, t("{0} of {1} classes", number(found.length), number(total)) + (data.rejected.length < total ? `; ${t("the page has the first {0}", number(data.rejected.length))}` : "")),
    table("Rejected classes", ["class", "reason", "detail"], found.map(([item, why, detail]) => [el("span", {}, data.names[item] ? bdi(data.names[item], own) : "", " ", link(`https://www.wikidata.org/wiki/Q${item}`, `Q${item}`)), why, bdi(detail, own)]))];
}

function walls(own, data, query) {
  const tiers = [...new Set(data.walls.map((wall) => wall.tier))], tier = query.get("tier") || "";
  const found = data.walls.map((wall, at) => ({ ...wall, number: at + 1 })).filter((wall) => !tier || wall.tier === tier);
  const base = `${own.code}/walls`, page = Math.max(1, Number(query.get("page")) || 1), shown = found.slice((page - 1) * PAGE, page * PAGE);
  const sheets = Array.from({ length: Math.ceil(shown.length / SIDE) }, (_, at) => el("div", { class: "sheet" }, ...shown.slice(SIDE * at, SIDE * at + SIDE).map((wall) => wallCard(wall, own))));
  return [
    el("h1", {}, t("{0}: sixteen words in four groups of four", titled(own))), tabs(own, "/walls"),
    el("div", { class: "filters" }, control("tier", "Tier", query, base, select(query, "tier", [["", "every tier"], ...tiers.map((one) => [one, one])])),
      el("button", { type: "button", onclick: () => window.print() }, t("Print these walls"))),
    el("p", { role: "status", class: "soft" }, t("{0} of {1} walls", number(found.length), number(data.walls.length))),
    pager(found.length, page, base, query, "pages"),
    el("div", { class: "cards walls" }, ...sheets),
    el("section", { class: "answers" }, el("h2", {}, t("Answers")), ...shown.map((wall) => el("div", {}, el("h3", {}, t("Wall {0}", wall.number)), el("ul", { dir: own.dir }, ...solution(wall, own)))))].filter(Boolean);
}

// The groups of a wall, a line each.
function solution(wall, own) {
  return wall.groups.map(([, label], at) => el("li", {}, bdi(label, own), ": ", bdi(wall.words.filter((word) => word[2] === at).map(([, text]) => text).join(", "), own)));
}

// Longer words are set smaller: by the longest piece that cannot be broken without a hyphen, and by their lines.
function size(text) {
  const longest = Math.max(text.length / 3, ...text.split(/[\s-]|(?<=\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana})/u).map((piece) => piece.length));
  return longest > 16 ? "longest" : longest > 13 ? "longer" : longest > 8 ? "long" : null;
}

function wallCard(wall, own) {
  const item = (id, text) => link(`https://www.wikidata.org/wiki/Q${id}`, bdi(text, own));
  const list = (items) => items.flatMap((one, at) => at ? [", ", one] : [one]);
  const named = (at) => item(...wall.groups[at]);
  const rows = wall.groups.map((group, at) => el("li", {}, named(at), ": ", ...list(wall.words.filter((word) => word[2] === at).map(([id, text]) => item(id, text)))));
  const fits = wall.fits.map(([at, classes]) => el("li", {}, ...parts("{0} also fits {1}", bdi(wall.words[at][1], own), list(classes.map(([other, by]) => el("span", {}, named(other), ` (${by})`))))));
  const status = el("p", { role: "status", class: "soft" }, t("Choose four words that belong together."));
  const chosen = () => tiles.filter((tile) => tile.getAttribute("aria-pressed") === "true");
  const check = el("button", { type: "button", disabled: true, onclick: () => {
    const at = chosen().map((tile) => tiles.indexOf(tile)), group = wall.words[at[0]][2];
    const most = Math.max(...wall.groups.map((_, one) => at.filter((word) => wall.words[word][2] === one).length));
    for (const tile of chosen()) tile.setAttribute("aria-pressed", "false");
    check.disabled = true;
    if (most < SIDE) {
      status.textContent = t(most === SIDE - 1 ? "No, but three of these belong together." : "No, these do not belong together.");
      return;
    }
    for (const word of at) { tiles[word].disabled = true; tiles[word].classList.add("found", `g${group}`); }
    const solved = tiles.every((tile) => tile.disabled);
    status.replaceChildren(...parts(solved ? "Solved: {0}" : "Right: {0}", bdi(wall.groups[group][1], own)));
  } }, t("Check"));
  const tiles = wall.words.map(([, text]) => el("button", { type: "button", "aria-pressed": "false", class: size(text), onclick: (event) => {
    const tile = event.currentTarget, pressed = tile.getAttribute("aria-pressed") === "true";
    if (!pressed && chosen().length === SIDE) return;
    tile.setAttribute("aria-pressed", String(!pressed));
    check.disabled = chosen().length !== SIDE;
  } }, bdi(text, own)));
  return el("article", { class: "card", "aria-label": t("Wall {0}", wall.number) },
    el("h2", {}, t("Wall {0}", wall.number)), el("p", { class: "soft tier", title: wall.id }, t(wall.tier)),
    el("ul", { class: "wall", dir: own.dir }, ...tiles.map((tile) => el("li", {}, tile))),
    el("p", { class: "check" }, check), status,
    el("details", {}, el("summary", {}, t("Answer")), el("ul", { dir: own.dir }, ...rows), fits.length ? el("ul", {}, ...fits) : "",
      el("p", { class: "soft" }, ...parts("No other solution: in the order {0}, each has only four words that fit it once those before it are taken.", list(wall.order.map(named))))));
}

// A small generator of numbers that depends on its seed alone, so that an address shows the same case again.
function seeded(seed) {
  let state = seed >>> 0;
  return () => { state = (state + 0x6d2b79f5) >>> 0; let t = Math.imul(state ^ (state >>> 15), 1 | state); t ^= t + Math.imul(t ^ (t >>> 7), 61 | t); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
}

function quiz(own, data, query) {
  if (!data.groups.length) throw new Error(`${own.code}: a quiz needs groups`);
  const seed = Number(query.get("seed")) || 1, at = Number(query.get("at")) || 1, right = Number(query.get("right")) || 0;
  const draw = seeded(seed * 7919 + at), pick = (list) => list[Math.floor(draw() * list.length)];
  const group = pick(data.groups), outlier = pick(group.out);
  const rows = [...group.in, outlier].map((row) => [draw(), row]).sort((one, other) => one[0] - other[0]).map(([, row]) => row);
  const answer = el("div", { role: "status" }), about = el("div", { class: "about", hidden: true });
  const chance = 1 / rows.length, progress = el("p", { class: "soft" }, t("Case {0}, {1} right so far.", at, right));
  const list = el("ul", { class: "words", dir: own.dir }, ...rows.map((row) => el("li", {}, el("button", { type: "button", class: "word", onclick: (event) => {
    if (answer.childNodes.length) return;
    const good = row === outlier, now = right + (good ? 1 : 0);
    event.currentTarget.classList.add(good ? "right" : "wrong");
    const found = Object.entries(group.scores || {}).map(([model, [, , cases]]) => [model, cases ? cases[group.out.indexOf(outlier)] : null]);
    const models = found.filter(([, one]) => one != null).map(([model, one]) => " " + t(one ? "{0} found it; of all cases here it finds {1} %." : "{0} did not find it; of all cases here it finds {1} %.", model, own.accuracy[model].toFixed(0)));
    progress.textContent = t("Case {0}, {1} right so far.", at, now);
    answer.append(
      el("p", {}, ...parts(good ? "Right: {0} is no {1}." : "No: {0} is no {1}.", bdi(outlier[1], own), bdi(group.label, own))),
      el("p", {}, t("You: {0} of {1} ({2}). By chance: {3}.", now, at, percent(now / at), percent(chance)) + models.join("")),
      el("p", {}, link(address(`${own.code}/quiz`, { seed, at: at + 1, right: now }), t("Next case")), " · ", link(address(own.code, { q: `Q${group.q}` }), t("See the group"))));
    about.replaceChildren(details(outlier, `o${outlier[8]}`, own, weakness(outlier, own)));
    about.hidden = false;
    answer.querySelector("a").focus();
  } }, bdi(row[1], own)))));
  return [el("h1", {}, t("{0}: which word does not belong?", titled(own))), tabs(own, "/quiz"),
    progress, el("div", { class: "quiz" }, list), answer, about];
}
