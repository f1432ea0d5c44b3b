// The page around the lab: an editor for your kernel beside its lesson; each button is a command line of the lab.
//
// Enters: the packed program and files of this page, WORDS, PLACES (chapters and faulty kernels). ?chapter=05_padding&lang=zh opens a
// chapter in a language, ?page=checker the faulty kernels. Leaves: your work, in this browser's storage and nowhere else.
'use strict';
const $ = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.search);
const store = {
  get(key) { try { return localStorage.getItem(`transpose-lab ${key}`); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(`transpose-lab ${key}`, value); } catch { /* a browser that stores nothing */ } },
  drop(key) { try { localStorage.removeItem(`transpose-lab ${key}`); } catch { /* the same */ } },
};
let language = (asked.get('lang') ?? store.get('language')) === 'zh' ? 'zh' : 'en';
const say = (key, ...values) => values.reduce((text, value, i) => text.replaceAll(`{${i}}`, value).replace('{}', value), WORDS[language][key]);

// ---- the lab, in its thread ----
const packed = (id) => Uint8Array.from(atob($(id).textContent), (c) => c.charCodeAt(0));
let thread, ready, texts = {}, number = 0;
const waiting = new Map();

function start() {
  thread?.terminate();
  for (const answer of waiting.values()) answer(null);
  waiting.clear();
  const place = URL.createObjectURL(new Blob([JSON.parse($('lab').textContent)], {type: 'text/javascript'}));
  thread = new Worker(place);
  ready = new Promise((done, failed) => {
    thread.onmessage = ({data}) => {
      if (data.ready) { texts = data.files; return done(); }
      if (data.failed && !waiting.has(data.id)) return failed(new Error(data.failed));
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    };
    thread.onerror = (event) => failed(new Error(event.message));
  });
  thread.postMessage({program: packed('program'), files: packed('files')});
  return ready;
}

const chapter = () => $('chapter').value;
const ownPlace = (name = chapter()) => `chapters/${name}/transpose.cu`;
const kProgress = '.lab/progress.json';

function ask(words, files, wants) {
  return new Promise((resolve) => {
    waiting.set(++number, resolve);
    thread.postMessage({id: number, words, files, wants});
  });
}
// While you read: a browser optimises what it has seen run, so that the first verdict takes three times as long as those after it. What
// this chapter and the next one begin with runs most of the program.
async function warmUp() {
  for (const name of PLACES.chapters.slice(PLACES.chapters.indexOf(chapter())).slice(0, 2))
    if (!waiting.size) await ask(['check', name, '--device', 'sim'], {}, []);
}

// A command of the lab on your file: {status, out, err, files, ms}; null when it was stopped. Progress is kept between commands.
async function lab(words, wants = [], files = {}) {
  await ready;
  const progress = store.get('progress');
  const given = {[ownPlace()]: code(), ...(progress ? {[kProgress]: progress} : {}), ...files};
  const reply = await ask(language === 'zh' ? ['--lang', 'zh', ...words] : words, given, [kProgress, ...wants]);
  if (reply?.files?.[kProgress]) store.set('progress', reply.files[kProgress]);
  return reply;
}

// ---- the editor ----
const touch = matchMedia('(pointer: coarse)').matches;
let editor = null, marks = [];

function makeEditor() {
  if (!touch && typeof CodeMirror !== 'undefined') {
    editor = CodeMirror.fromTextArea($('text'), {mode: 'text/x-c++src', lineNumbers: true, inputStyle: 'contenteditable', indentUnit: 2, tabSize: 2, lineWrapping: false,
      extraKeys: {'Ctrl-Enter': check, 'Cmd-Enter': check, Tab: false, 'Shift-Tab': false}});
    return editor.on('change', keep);
  }
  $('text').oninput = () => { countLines(); keep(); };
  $('text').onscroll = () => { $('numbers').scrollTop = $('text').scrollTop; };
  $('text').addEventListener('beforeinput', keepIndent);
}
const code = () => editor ? editor.getValue() : $('text').value;
function setCode(text) {
  clearMarks();
  if (editor) { editor.setValue(text); editor.clearHistory(); } else { $('text').value = text; countLines(); }
}
const begun = (name = chapter()) => texts[ownPlace(name)] ?? '';
let lastKept = null;  // as the storage had it when this page wrote or read it
const keptPlace = () => `kernel ${chapter()}`;
function keep() {
  if (code() === begun()) store.drop(keptPlace()); else store.set(keptPlace(), code());
  lastKept = store.get(keptPlace());
}
// The same chapter in another tab: what is written there stands here too, so that neither writes over the other. Undo brings back what stood here.
function follow() {
  const kept = store.get(keptPlace());
  if (kept === lastKept) return;
  lastKept = kept;
  clearMarks();
  if (editor) editor.setValue(kept ?? begun()); else { $('text').value = kept ?? begun(); countLines(); }
  state(say('elsewhere'));
}
function clearMarks() { for (const mark of marks) mark(); marks = []; }

// Beside the plain text area, which knows no numbers of lines.
function countLines() {
  const lines = code().split('\n').length, column = $('numbers');
  while (column.childElementCount > lines) column.lastElementChild.remove();
  while (column.childElementCount < lines) column.append(Object.assign(document.createElement('div'), {textContent: column.childElementCount + 1}));
}
// A new line of the plain text area starts where the one above does.
function keepIndent(event) {
  if (event.inputType !== 'insertLineBreak') return;
  event.preventDefault();
  const blanks = $('text').value.slice(0, $('text').selectionStart).match(/(?:^|\n)([ \t]*)[^\n]*$/)[1];
  document.execCommand('insertText', false, '\n' + blanks);  // the one way that can be undone
}
function scrollToLine(line) {
  if (editor) editor.scrollIntoView({line: line - 1, ch: 0}, 80);
  else $('text').scrollTop = $('numbers').children[line - 1].offsetTop - 60;
}
// What is to be written stands in sight.
function scrollToTask() {
  const lines = code().split('\n');
  const line = [/TODO.*\blines?\b/, /TODO/].map((task) => lines.findIndex((text) => task.test(text)) + 1).find(Boolean);
  if (line) scrollToLine(line);
}
function goTo(line) {
  const lines = code().split('\n');
  if (line < 1 || line > lines.length) return;
  if (editor) { editor.setCursor(line - 1, 0); editor.focus(); return scrollToLine(line); }
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  $('text').focus();
  $('text').setSelectionRange(from, from + lines[line - 1].length);
  $('text').scrollLeft = 0;
  scrollToLine(line);
}

// A message at its line, and the line marked; the plain text area has room for the mark alone.
function blame(line, words) {
  if (!editor) {
    const number = $('numbers').children[line - 1];
    number?.classList.add('blamed');
    return marks.push(() => number?.classList.remove('blamed'));
  }
  if (line < 1 || line > editor.lineCount()) return;
  const handle = editor.addLineClass(line - 1, 'background', 'blamed');
  marks.push(() => editor.removeLineClass(handle, 'background', 'blamed'));
  if (!words) return;
  const note = document.createElement('div');
  note.className = 'note';
  note.textContent = words;
  const widget = editor.addLineWidget(line - 1, note, {noHScroll: true});
  marks.push(() => widget.clear());
}
function blameAll(text) {
  const seen = new Set();
  for (const [, line, words] of text.matchAll(/transpose\.cu:(\d+)(?::\d+: (?:error|warning): (.*))?/g)) {
    if (seen.has(line + (words ?? ''))) continue;
    seen.add(line + (words ?? ''));
    blame(Number(line), words);
  }
  const first = parseInt([...seen][0], 10);
  if (first >= 1 && first <= code().split('\n').length) scrollToLine(first);
}

// ---- what is shown ----
function state(words, kind = '', stops = false, where = 'state') {
  $(where).textContent = words;
  $(where).className = kind;
  if (!stops) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = say('stop');
  button.onclick = () => start().then(() => state(say('stopped'), '', false, where));
  $(where).append(button);
}
// Lines that wrap keep their indent; a line of code above a caret does not wrap.
function fill(pre, text) {
  pre.hidden = !text;
  const lines = text.split(/(?<=\n)/), isCaret = (line) => /^ *\^~*\n?$/.test(line ?? '');
  const rows = [];
  for (let i = 0; i < lines.length; ++i) {
    const quoted = isCaret(lines[i + 1]);
    rows.push(rowOf(quoted ? lines[i] + lines[++i] : lines[i], quoted, pre === $('out')));
  }
  pre.replaceChildren(...rows);
}
function rowOf(text, quoted, ofEditor) {
  const row = document.createElement('span'), mark = text.match(/^ *([✓✗])/)?.[1], indent = text.match(/^ */)[0].length;
  row.className = [mark === '✓' ? 'ok' : mark ? 'not' : '', quoted ? 'quoted' : ''].join(' ').trim();
  row.style.setProperty('--indent', `${indent}ch`);
  if (quoted) row.tabIndex = 0;
  const [, before, place, line, after] = (ofEditor && text.match(/^(.*?)(transpose\.cu:(\d+)(?::\d+)?)(.*)$/s)) || [];
  if (!place) { row.textContent = text; return row; }
  const link = Object.assign(document.createElement('a'), {className: 'place', href: `#line-${line}`, textContent: place});
  link.onclick = (event) => { event.preventDefault(); goTo(Number(line)); };
  row.append(before, link, after);
  return row;
}
// What to type next is a button here.
const withoutCommands = (text) => text.split('\n').filter((line) => !/^\s*(next|下一步)\s/.test(line)).join('\n').replace(/[；;：:]?[^；;：:\n]*\.\/lab limits [^\n]*/g, '');
// What an exit status says of a kernel is the word of `check` alone: that another command ended well is no verdict.
function outcome([command], status) {
  if (status > 1) return [say(String(status)), 'bad'];
  if (command === 'check') return [say(String(status)), status === 0 ? 'good' : 'bad'];
  return status === 0 ? [say('done'), ''] : [say('see-below'), 'bad'];
}
function report(words, reply) {
  const [said, kind] = outcome(words, reply.status);
  state(`${said} · ${say('took', (reply.ms / 1000).toFixed(2))}`, kind);
  $('state').scrollIntoView({block: 'nearest'});
}
async function run(words, wants = [], prints = true) {
  state(say('running'), '', true);
  $('questions').hidden = true;
  const reply = await lab(words, wants);
  if (!reply) return null;
  if (prints || reply.status) fill($('out'), withoutCommands(reply.out + reply.err).replaceAll(ownPlace(), 'transpose.cu'));
  report(words, reply);
  return reply;
}

// ---- the buttons ----
async function check() {
  clearMarks();
  const reply = await run(['check', chapter(), '--device', 'sim']);
  if (!reply) return;
  blameAll(reply.out + reply.err);
  if (reply.status === 0) store.set(`passed ${chapter()}`, 'yes');
  offer();
  document.body.dataset.checked = `${chapter()} ${reply.status}`;
}
async function show() {
  const reply = await run(['show', '--kernel', ownPlace(), '--html', 'page.html'], ['page.html'], false);
  if (!reply?.files?.['page.html']) return;
  $('picture').srcdoc = reply.files['page.html'];
  open('steps');
  document.body.dataset.drawn = chapter();
}
// A run of the kernel as it stands in the editor, on a small matrix.
let watching = '', watchedWith = [];
const pairsOf = (words, names) => (words.match(new RegExp(`--(?:${names}) \\S+`, 'g')) ?? []).flatMap((pair) => pair.split(' '));
async function watch(words = []) {
  const wanted = JSON.stringify([chapter(), language, code(), words]);
  if (wanted === watching) return;
  $('watched').removeAttribute('srcdoc');
  const reply = await run(['step', chapter(), ...words, '--html', 'watch.html'], ['watch.html'], false);
  if (!reply?.files?.['watch.html']) return;
  watching = wanted;
  watchedWith = pairsOf(words.join(' '), 'rows|cols|at');
  $('watched').srcdoc = reply.files['watch.html'];
  document.body.dataset.watched = chapter();
}
// Opened where a lesson's command leads: `./lab step 4 --to barrier`.
function watchAt(words) {
  open('watch', pairsOf(words, 'to|line|step|rows|cols|at|choose|first-warp'));
}
// The recording's page asks for another warp at a step.
addEventListener('message', (event) => {
  const {choices, step} = event.data ?? {};
  if (event.source === $('watched').contentWindow && /^[\d:,]+$/.test(choices) && Number.isInteger(step))
    watch([...watchedWith, '--choose', choices, '--step', String(step)]);
});
async function ptx() {
  const reply = await lab(['ptx', ownPlace(), '--json']);
  if (!reply) return;
  const rows = reply.status === 0 ? JSON.parse(reply.out).lines : [];
  const table = document.createElement('table');
  for (const row of rows) {
    const tr = table.insertRow();
    tr.insertCell().textContent = row.line || '';
    tr.insertCell().textContent = `${row.source}\n${row.ptx.map((one) => '    ' + one).join('\n')}`;
  }
  $('ptx').replaceChildren(table);
  if (!rows.length) $('ptx').textContent = reply.out + reply.err;
}
async function predict() {
  state(say('running'), '', true);
  const reply = await lab(['predict', chapter(), '--json']);
  if (!reply) return;
  state('');
  let questions = [];
  try { questions = JSON.parse(reply.out).questions; } catch { fill($('out'), reply.out + reply.err); }
  const form = $('questions');
  form.replaceChildren(...questions.map((one) => {
    const label = document.createElement('label'), words = document.createElement('span'), input = document.createElement('input');
    words.textContent = one.question || one.name;
    input.type = 'number';
    input.name = one.name;
    if (one.answer) input.value = one.answer;
    label.className = 'wide';
    label.append(words, input);
    return label;
  }));
  form.hidden = !questions.length;
  if (!questions.length) return state(say('no-questions'));
  const button = document.createElement('button');
  button.className = 'run';
  button.textContent = say('answer');
  form.append(button);
}
async function answer(event) {
  event.preventDefault();
  const set = [...new FormData($('questions'))].filter(([, value]) => value).map(([name, value]) => `${name}=${value}`);
  if (!set.length) return;
  const reply = await run(['predict', chapter(), '--set', ...set], [ownPlace()]);
  if (reply?.files?.[ownPlace()]) setCode(reply.files[ownPlace()]);
  keep();
}
// The lesson's own words, with links in the place of commands.
async function hint() {
  const reply = await run(['hint', chapter(), '--json'], [], false);
  if (!reply || reply.status) return;
  const {hints} = JSON.parse(reply.out);
  $('out').hidden = false;
  $('out').innerHTML = `<div class="hint">${hints.map(({title, text}) => `<h3>${inline(title, String)}</h3>${rendered(text, String)}`).join('')}</div>`;
  for (const code of $('out').querySelectorAll('code')) asLink(code);
}
const calculators = ['banks', 'sectors', 'swizzle'], buttons = ['check', 'show', 'predict', 'hint'];
function asLink(code) {
  const [, command, rest] = code.textContent.match(/^\.\/lab (\w+) ?(.*)$/s) ?? [];
  if (buttons.includes(command)) return code.replaceWith(Object.assign(document.createElement('strong'), {textContent: say(command)}));
  const watches = command === 'step';
  if (!watches && !calculators.includes(command)) return;
  const link = Object.assign(document.createElement('a'), {href: watches ? '#tab-watch' : '#tab-inspect', textContent: say(watches ? 'watch' : command)});
  link.onclick = (event) => { event.preventDefault(); if (watches) watchAt(rest); else calculate(command, rest); };
  code.replaceWith(link);
}
// A calculator with the words of its command: `--step 128 --width 4`, or a formula.
function calculate(command, words) {
  $('calculator').value = command;
  for (const [id, usual] of [['step', 128], ['width', 4]]) $(id).value = words.match(new RegExp(`--${id} (\\d+)`))?.[1] ?? usual;
  if (command === 'swizzle') $('formula').value = words.replace(/^["']|["']$/g, '');
  open('inspect');
}
function reset() {
  if (code() !== begun() && !confirm(say('sure'))) return;
  setCode(begun());
  keep();
  state(say('was-reset'));
}

// Lines of both texts, in the order in which the shortest way from one to the other has them.
function difference(a, b) {
  const rows = a.length + 1, cols = b.length + 1, least = new Uint16Array(rows * cols);
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      least[i * cols + j] = a[i] === b[j] ? least[(i + 1) * cols + j + 1] + 1 : Math.max(least[(i + 1) * cols + j], least[i * cols + j + 1]);
  const out = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) { ++i; ++j; }
    else if (j < b.length && (i === a.length || least[i * cols + j + 1] >= least[(i + 1) * cols + j])) out.push(['plus', j + 1, `+ ${b[j++]}`]);
    else out.push(['minus', i + 1, `- ${a[i++]}`]);
  }
  return out;
}
function diff() {
  const lines = difference(begun().split('\n'), code().split('\n'));
  $('out').hidden = false;
  $('out').replaceChildren(...lines.map(([kind, line, text]) => {
    const span = document.createElement('span');
    span.className = kind;
    span.textContent = `${String(line).padStart(4)} ${text}\n`;
    return span;
  }));
  state(lines.length ? say('differs', lines.length) : say('as-begun'));
}
function save() {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([code()], {type: 'text/plain'}));
  link.download = `${chapter()}.cu`;
  link.click();
}
async function load() {
  const file = $('load').files[0];
  if (!file) return;
  setCode(await file.text());
  keep();
  $('load').value = '';
}

// ---- calculators, and what the checker sees ----
async function inspect() {
  const which = $('calculator').value;
  for (const label of document.querySelectorAll('label.of')) label.hidden = label.classList.contains('formula') !== (which === 'swizzle');
  const words = which === 'swizzle' ? [$('formula').value] : ['--width', $('width').value, '--step', $('step').value || '0'];
  const reply = await lab(['inspect', which, ...words]);
  if (reply) fill($('inspected'), reply.out + reply.err);
}
async function judgeFaulty(event) {
  event?.preventDefault();
  const one = PLACES.faulty.find((each) => each.place === $('kernel').value);
  $('faulty-text').textContent = texts[one.place];
  state(say('running'), '', true, 'faulty-state');
  const reply = await lab(one.chapter ? ['check', one.chapter, '--kernel', one.place, '--device', 'sim'] : ['profile', one.place, ...(one.shape ?? [])]);
  if (!reply) return;
  fill($('faulty-out'), reply.out + reply.err);
  state(say('took', (reply.ms / 1000).toFixed(2)), '', false, 'faulty-state');
}

// ---- languages, tabs, chapters ----
const passed = (name) => store.get(`passed ${name}`) === 'yes';
function offer() {
  const kept = chapter() || history.state?.chapter || asked.get('chapter') || store.get('chapter') || PLACES.chapters.find((name) => !passed(name));
  $('chapter').replaceChildren(...PLACES.chapters.map((name) => new Option((passed(name) ? '✓ ' : '') + name, name)));
  $('chapter').value = PLACES.chapters.includes(kept) ? kept : PLACES.chapters[0];
  const after = PLACES.chapters[PLACES.chapters.indexOf(chapter()) + 1];
  $('next').hidden = !passed(chapter()) || !after;
  $('next').textContent = say('next', after);
  $('next').onclick = () => { $('chapter').value = after; enter(); };
}
function enter() {
  history.replaceState({chapter: chapter()}, '');  // for a reload, whatever the address asks for
  store.set('chapter', chapter());                 // for the next visit
  lastKept = store.get(keptPlace());
  setCode(lastKept ?? begun());
  scrollToTask();
  fill($('out'), '');
  $('questions').hidden = true;
  for (const page of ['picture', 'watched']) $(page).removeAttribute('srcdoc');
  watching = '';
  lesson();
  offer();
  open('lesson');
  state(say('ready'));
}
function lesson() {
  const folder = `chapters/${chapter()}/`;
  const picture = (place) => folder + place in texts ? `data:image/svg+xml,${encodeURIComponent(texts[folder + place])}` : '';
  $('panel-lesson').innerHTML = rendered((texts[`${folder}README${language === 'zh' ? '.zh' : ''}.md`] ?? '').replace(/^\[(简体中文|中文|English)\]\([^)]*\)\s*$/m, ''), picture);
  for (const code of $('panel-lesson').querySelectorAll('code')) if (/^\.\/lab step \d+( |$)/.test(code.textContent)) asLink(code);
  $('panel-lesson').scrollTop = 0;
}
const tabs = ['lesson', 'steps', 'watch', 'ptx', 'inspect'];
function open(name, words) {
  for (const one of tabs) {
    $(`panel-${one}`).hidden = one !== name;
    $(`tab-${one}`).setAttribute('aria-selected', one === name);
    $(`tab-${one}`).tabIndex = one === name ? 0 : -1;
  }
  if (name === 'watch') watch(words);
  if (name === 'ptx') ptx();
  if (name === 'inspect') inspect();
}
$('tabs').onkeydown = (event) => {
  const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!by) return;
  const next = tabs[(tabs.findIndex((name) => `tab-${name}` === document.activeElement.id) + by + tabs.length) % tabs.length];
  open(next);
  $(`tab-${next}`).focus();
};
function speak() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  document.title = `Transpose Lab · ${say('title')}`;
  for (const element of document.querySelectorAll('[data-say]')) element.textContent = say(element.dataset.say);
  $('tabs').setAttribute('aria-label', say('reading'));
  (editor?.getInputField() ?? $('text')).setAttribute('aria-label', say('editor'));
  $('language').textContent = say('other');
  $('language').lang = language === 'zh' ? 'en' : 'zh-CN';
  $('home').href = language === 'zh' ? '../zh/index.html' : '../index.html';
  $('home').hidden = PLACES.alone;
  $('picture').title = say('steps');
  $('watched').title = say('watch');
  $('to-checker').textContent = say($('checker').hidden ? 'checker' : 'back');
}
function turn(toChecker) {
  $('learn').hidden = toChecker;
  $('checker').hidden = !toChecker;
  speak();
  if (!toChecker) return editor?.refresh();
  $('kernel').replaceChildren(...PLACES.faulty.map((one) => new Option(`${one.chapter.slice(0, 2)} ${one.words}`, one.place)));
  $('faulty-text').textContent = texts[PLACES.faulty[0]?.place] ?? '';
}

makeEditor();
for (const [id, action] of Object.entries({check, show, predict, hint, diff, reset, save})) $(id).onclick = () => action();
for (const name of tabs) $(`tab-${name}`).onclick = () => open(name);
$('load').onchange = load;
$('questions').onsubmit = answer;
$('inspect').onsubmit = (event) => event.preventDefault();
$('inspect').oninput = inspect;
$('faulty').onsubmit = judgeFaulty;
$('kernel').onchange = () => { $('faulty-text').textContent = texts[$('kernel').value]; };
$('to-checker').onclick = () => turn($('checker').hidden);
$('chapter').onchange = enter;
$('language').onclick = () => { language = language === 'zh' ? 'en' : 'zh'; store.set('language', language); speak(); offer(); lesson(); };
document.onkeydown = (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !$('learn').hidden) { event.preventDefault(); check(); } };

speak();
offer();
state(say('starting'));
for (const event of ['storage', 'focus']) addEventListener(event, () => { if (document.body.dataset.ready) follow(); });
start().then(() => { enter(); turn(asked.get('page') === 'checker'); document.body.dataset.ready = 'yes'; warmUp(); }, (error) => state(say('failed', error.message), 'bad'));
