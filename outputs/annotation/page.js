"use strict";
// Words of the data set become text nodes only; nothing here parses them as HTML.
(() => {
  const byId = (id) => document.getElementById(id);
  const sheet = JSON.parse(byId("sheet").textContent);
  const storageKey = `wikisem-annotate ${sheet.set} ${sheet.annotator}`;
  const CANNOT_TELL = 0;

  // The page is in the language of the words, if there are texts in it: English texts, others by them.
  const t = (text, ...values) => (sheet.texts[text] ?? text).replace(/\{(\d)\}/g, (_, at) => values[at]);
  document.documentElement.lang = sheet.interface;
  for (const element of document.querySelectorAll("[data-t]")) {
    if (element.dataset.t) element.setAttribute("aria-label", t(element.dataset.t));
    else element.textContent = t(element.textContent);
  }

  // The time for a second answer, as in the study of Camacho-Collados and Navigli (2016, 3.1); it is shown, not enforced.
  const MINUTES = 3;

  // answers: case id -> {answer, remark}; answer is null while only a remark was written. Of two answers the first is
  // without_help. It cannot be changed any more once the second was asked for, which is until when, in milliseconds.
  let answers = load();
  let index = 0;
  let view = "start";
  let downloaded = true;
  let storageWorks = true;

  function load() {
    try {
      const saved = JSON.parse(localStorage.getItem(storageKey) ?? "{}");
      return saved !== null && typeof saved === "object" ? saved : {};
    } catch {
      return {};
    }
  }

  function save() {
    downloaded = false;
    try {
      localStorage.setItem(storageKey, JSON.stringify(answers));
      storageWorks = true;
    } catch {
      storageWorks = false;
    }
  }

  const current = () => sheet.cases[index];
  const answerOf = (entry) => answers[entry.id]?.answer ?? null;
  const isFirst = (entry) => sheet.two_answers && answers[entry.id]?.until === undefined;
  const fieldOf = (entry) => (isFirst(entry) ? "without_help" : "answer");
  const choiceOf = (entry) => answers[entry.id]?.[fieldOf(entry)] ?? null;
  const isAnswered = (entry) => answerOf(entry) !== null || (answers[entry.id]?.without_help ?? null) !== null;
  const answered = () => sheet.cases.filter((entry) => answerOf(entry) !== null).length;
  const firstOpen = () => sheet.cases.findIndex((entry) => answerOf(entry) === null);

  function show(name) {
    view = name;
    for (const id of ["start", "case", "end"]) byId(id).hidden = id !== name;
    if (name === "case") showCase();
    showProgress();
    if (name === "start") byId("begin").focus();
    if (name === "case") byId("question").focus();
    if (name === "end") byId("download").focus();
    window.scrollTo(0, 0);
  }

  function showProgress() {
    const done = answered();
    byId("progress").max = sheet.cases.length;
    byId("progress").value = done;
    const total = sheet.cases.length;
    byId("count").textContent =
      view === "case" ? t("case {0} of {1} · {2} answered", index + 1, total, done) : t("{0} of {1} answered", done, total);
    byId("partial").hidden = view !== "case" || !sheet.cases.some(isAnswered);
  }

  function wordButton(position, text) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "word";
    button.dataset.position = position;
    button.setAttribute("role", "radio");
    const number = document.createElement("span");
    number.className = "number";
    number.textContent = position;
    button.append(number, text);
    button.addEventListener("click", () => choose(position));
    return button;
  }

  function showCase() {
    const entry = current();
    const words = byId("words");
    words.dir = sheet.direction;
    words.replaceChildren();
    entry.words.forEach((word, at) => {
      const text = document.createElement("bdi");
      text.lang = sheet.language;
      text.textContent = word;
      words.append(wordButton(at + 1, text));
    });
    const text = document.createElement("span");
    text.textContent = t("cannot tell");
    const last = wordButton(CANNOT_TELL, text);
    last.classList.add("cannot-tell");
    words.append(last);
    byId("remark").value = answers[entry.id]?.remark ?? "";
    byId("back").disabled = index === 0;
    showStep(entry);
    showTime();
    showChoice();
  }

  function showStep(entry) {
    if (!sheet.two_answers) return;
    const first = answers[entry.id]?.without_help;
    byId("step").textContent = isFirst(entry)
      ? t("First answer: without any help. It cannot be changed later.")
      : t("Second answer: you may look things up now. Your first answer was {0}.", first || t("cannot tell"));
  }

  function showTime() {
    const until = view === "case" ? answers[current().id]?.until : undefined;
    const seconds = until === undefined ? 0 : Math.ceil((until - Date.now()) / 1000);
    const left = t("{0} left", `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
    const over = t("The three minutes are over: please answer now.");
    const open = until !== undefined && answerOf(current()) === null;
    byId("time").textContent = !open ? "" : seconds > 0 ? left : over;
  }

  function showChoice() {
    const chosen = choiceOf(current());
    const buttons = [...byId("words").children];
    buttons.forEach((button, at) => {
      const position = Number(button.dataset.position);
      button.setAttribute("aria-checked", String(position === chosen));
      // One stop for the tabulator in the group, as radio buttons have it.
      button.tabIndex = position === chosen || (chosen === null && at === 0) ? 0 : -1;
    });
    byId("next").disabled = chosen === null;
  }

  function choose(position) {
    const entry = current();
    answers[entry.id] = { ...answers[entry.id], [fieldOf(entry)]: position, remark: byId("remark").value };
    save();
    showChoice();
    showTime();
    showProgress();
  }

  function move(step) {
    // The order on the screen: words from the top, cannot tell last.
    const order = [...byId("words").children].map((button) => Number(button.dataset.position));
    const at = order.indexOf(choiceOf(current()));
    const next = at < 0 ? (step > 0 ? 0 : order.length - 1) : (at + step + order.length) % order.length;
    choose(order[next]);
    byId("words").children[next].focus();
  }

  function confirm() {
    const entry = current();
    if (choiceOf(entry) === null) return;
    if (isFirst(entry)) {
      answers[entry.id].until = Date.now() + MINUTES * 60000;
      save();
      show("case");
    } else if (index + 1 < sheet.cases.length) {
      index += 1;
      show("case");
    } else if (firstOpen() >= 0) {
      index = firstOpen();
      show("case");
    } else {
      show("end");
    }
  }

  function back() {
    if (view === "case" && index > 0) index -= 1;
    show("case");
  }

  function begin() {
    index = firstOpen() < 0 ? 0 : firstOpen();
    show(firstOpen() < 0 ? "end" : "case");
  }

  function download() {
    const list = sheet.cases
      .filter(isAnswered)
      .map((entry) => ({ case: entry.id, ...answers[entry.id], until: undefined }));
    const text = JSON.stringify({ set: sheet.set, annotator: sheet.annotator, answers: list }, null, 1);
    const link = document.createElement("a");
    const name = `answers-${sheet.annotator}-${sheet.set}.json`;
    // Never revoked: a busy machine may begin to save it late, and it ends with the page.
    link.href = URL.createObjectURL(new Blob([text, "\n"], { type: "application/json" }));
    link.download = name;
    link.click();
    downloaded = true;
    byId("saved").textContent = t("Saved as {0} in your downloads.", name);
  }

  // The digit that was typed, or that the key has on a layout of other digits (Arabic) or with digits on shift (French).
  function digit(event) {
    if (/^[0-9]$/.test(event.key)) return Number(event.key);
    const key = event.shiftKey ? null : event.code.match(/^(?:Digit|Numpad)([0-9])$/);
    return key ? Number(key[1]) : -1;
  }

  function keyInCase(event) {
    const position = event.key === "?" ? CANNOT_TELL : digit(event);
    if (position >= 0 && position <= current().words.length) choose(position);
    else if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") confirm();
    else if (event.key === "Backspace" || event.key === "ArrowLeft") back();
    else if (event.key.toLowerCase() === "r" || event.code === "KeyR") byId("remark").focus();
    else return;
    event.preventDefault();
  }

  function keyInRemark(event) {
    if (event.key === "Escape") byId("remark").blur();
    else if (event.key === "Enter") confirm();
    else return;
    event.preventDefault();
  }

  document.addEventListener("keydown", (event) => {
    // While an input method is composing, its keys are not ours.
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target === byId("remark")) return keyInRemark(event);
    const button = event.target.closest?.("button:not(.word)");
    if (button && (event.key === "Enter" || event.key === " ")) return;
    if (view === "case") keyInCase(event);
    else if (view === "end" && event.key === "Backspace") show("case");
  });

  byId("remark").addEventListener("input", () => {
    const entry = current();
    answers[entry.id] = { ...answers[entry.id], answer: answerOf(entry), remark: byId("remark").value };
    save();
  });
  byId("begin").addEventListener("click", begin);
  byId("back").addEventListener("click", back);
  byId("next").addEventListener("click", confirm);
  byId("back-to-cases").addEventListener("click", () => show("case"));
  byId("download").addEventListener("click", download);
  byId("partial").addEventListener("click", download);
  window.addEventListener("beforeunload", (event) => {
    if (!storageWorks && !downloaded) event.preventDefault();
  });

  try {
    localStorage.setItem(`${storageKey} test`, "1");
    localStorage.removeItem(`${storageKey} test`);
  } catch {
    storageWorks = false;
    byId("storage").textContent = t("This browser keeps nothing for pages from disk: please finish without closing the page.");
  }
  if (answered() > 0) {
    byId("storage").textContent = t("{0} of {1} are answered already; you go on where you were.", answered(), sheet.cases.length);
    byId("begin").textContent = t("Continue");
  }
  if (sheet.two_answers) setInterval(showTime, 1000);
  show("start");
})();
