// The page around the lab: what a person chooses becomes a command line, and what the lab says is shown as it is.
//
// Enters: the packed program and kernels of this page, WORDS, KERNELS (what there is to choose). ?chapter=05_padding&lang=zh opens a
// chapter in a language. Leaves: nothing outside of this page.
'use strict';
const $ = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.search);
let language = asked.get('lang') === 'zh' ? 'zh' : 'en';
const say = (key, ...values) => values.reduce((text, value, i) => text.replaceAll(`{${i}}`, value).replace('{}', value), WORDS[language][key]);

// ---- the lab, in its thread ----
const packed = (id) => Uint8Array.from(atob($(id).textContent), (c) => c.charCodeAt(0));
let thread, ready, number = 0;
const waiting = new Map();

function start() {
  thread?.terminate();
  for (const answer of waiting.values()) answer(null);
  waiting.clear();
  const place = URL.createObjectURL(new Blob([JSON.parse($('lab').textContent)], {type: 'text/javascript'}));
  thread = new Worker(place);
  ready = new Promise((done, failed) => {
    thread.onmessage = ({data}) => {
      if (data.ready) return done();
      if (data.failed) return failed(new Error(data.failed));
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    };
    thread.onerror = (event) => failed(new Error(event.message));
  });
  thread.postMessage({program: packed('program'), files: packed('files')});
  return ready;
}

// A command of the lab: {status, out, err, file, source, ms}; null when it was stopped.
async function lab(words, kernel = '', wants = '') {
  await ready;
  return new Promise((answer) => {
    waiting.set(++number, answer);
    thread.postMessage({id: number, words: language === 'zh' ? ['--lang', 'zh', ...words] : words, wants, kernel});
  });
}

// ---- what is shown ----
function state(text, kind = '', stops = false) {
  $('state').textContent = text;
  $('state').className = kind;
  if (!stops) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = say('stop');
  button.onclick = () => start().then(() => state(say('stopped')));
  $('state').append(button);
}

// Text of the lab, its marks in colour.
function fill(pre, text) {
  pre.replaceChildren(...text.split(/(?=\n)/).map((line) => {
    const mark = line.match(/^\n? *([✓✗])/)?.[1];
    const span = document.createElement('span');
    span.textContent = line;
    if (mark) span.className = mark === '✓' ? 'ok' : 'not';
    return span;
  }));
}

const shell = (word) => /^[\w./,=+-]+$/.test(word) ? word : `'${word}'`;
let latest = 0;

// Runs the command and shows it; then, for a kernel, its counters and the page of `lab show`.
async function show(words, {status = 'ran', kernel = '', shape = [], draws = true} = {}) {
  const mine = ++latest;
  state(say('running'), '', true);
  const told = await lab(words, kernel);
  if (mine !== latest || !told) return;
  $('result').hidden = false;
  $('command').textContent = `./lab ${words.map(shell).join(' ')}`;
  fill($('out'), told.out + told.err);
  const verdict = told.status === 0 && status === 'ran' ? say('ran') : say(String(told.status));
  state(`${verdict} · ${say('took', (told.ms / 1000).toFixed(told.ms < 100 ? 2 : 1))}`, told.status === 0 ? 'good' : 'bad');
  document.body.dataset.done = words.join(' ');
  for (const part of ['run-again', 'steps', 'source']) $(part).hidden = true;
  if (!kernel) return;
  $('text').textContent = told.source;
  $('source').hidden = false;
  if (status !== 'ran') {
    const counted = await lab(['profile', kernel, ...shape], kernel);
    if (mine !== latest || !counted) return;
    fill($('counters'), counted.out + counted.err);
    $('run-again').hidden = false;
  }
  if (!draws) return;
  const drawn = await lab(['show', '--kernel', kernel, ...shape, '--html', '/lab/page.html'], kernel, '/lab/page.html');
  if (mine !== latest || !drawn) return;
  if (drawn.file) $('picture').srcdoc = drawn.file;
  $('steps').hidden = !drawn.file;
  document.body.dataset.drawn = kernel;
}

// ---- what can be chosen ----
function options(select, rows, first = '') {
  const kept = select.value || first;
  select.replaceChildren(...rows.map(([value, text]) => new Option(text, value)));
  if (rows.some(([value]) => value === kept)) select.value = kept;
}

function offerKernels() {
  const rows = KERNELS.course.filter((one) => one.chapter === $('chapter').value);
  options($('kernel'), rows.map((one) => [one.place, say(one.kind) + (one.words ? `: ${one.words}` : '')]));
}

function offer() {
  options($('chapter'), [...KERNELS.chapters.map((name) => [name, name]), ['', say('faults')]]);
  offerKernels();
  options($('bytes'), Object.entries(KERNELS.elements).map(([bytes, type]) => [bytes, say('bytes', bytes, type)]), '4');
  options($('side'), KERNELS.sides.map((side) => [side, `${side} × ${side}`]));
  const side = $('side').value;
  options($('layout'), [['rows', say('rows-layout')], ['columns', say('columns-layout')],
    ...KERNELS.pads.map((pad) => [`pad${pad}`, say(pad ? 'pad' : 'pad0', side, pad)]),
    ...Object.entries(KERNELS.formulas).map(([name, text]) => [name, say('formula-layout', text)])]);
  options($('block'), ['32x8', '32x4', '32x1', '32x16', '32x32', '16x16', '8x32', '64x4'].map((block) => [block, block.replace('x', ' × ')]));
}

const shape = (rows, cols) => rows && cols ? ['--rows', rows, '--cols', cols] : [];

function judge() {
  const kernel = $('kernel').value, chapter = $('chapter').value;
  const given = shape($('judge-rows').value, $('judge-cols').value);
  const own = KERNELS.course.find((one) => one.place === kernel)?.shape ?? [];
  if (!chapter) return show(['profile', kernel, ...(given.length ? given : own)], {kernel, shape: given.length ? given : own});
  return show(['check', chapter, '--kernel', kernel, '--device', 'sim', ...given], {status: 'verdict', kernel, shape: given});
}

function bench() {
  const kernel = `${KERNELS.workbench}/${$('bytes').value}_${$('side').value}_${$('layout').value}.cu`;
  const given = shape($('rows').value, $('cols').value);
  const tile = `${$('side').value}x${$('side').value}`;
  const own = $('block').value === '32x8';  // `show` draws the kernel's own launch shape
  return show(['profile', kernel, ...given, '--block', $('block').value, '--tile', tile], {kernel, shape: given, draws: own});
}

function inspect() {
  const which = $('calculator').value, value = (id) => $(id).value.trim();
  for (const label of document.querySelectorAll('label.of'))
    label.hidden = label.classList.contains('formula') !== (which === 'swizzle');
  if (which === 'swizzle') return show(['inspect', 'swizzle', value('formula'), '--elem-bytes', value('swizzle-bytes')]);
  const places = value('addresses') ? ['--addresses', value('addresses').replaceAll(' ', '')]
    : ['--base', value('base') || '0', '--step', value('step') || '0', '--lanes', value('lanes') || '32'];
  return show(['inspect', which, '--op', value('op'), '--width', value('width'), ...places]);
}

const panels = {judge, bench, inspect};

// ---- languages, tabs, and the start ----
function speak() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  document.title = `Transpose Lab · ${say('title')}`;
  for (const element of document.querySelectorAll('[data-say]')) element.textContent = say(element.dataset.say);
  for (const input of document.querySelectorAll('[data-hint]')) input.placeholder = say(input.dataset.hint);
  $('language').textContent = say('other');
  $('language').lang = language === 'zh' ? 'en' : 'zh-CN';
  $('home').href = language === 'zh' ? '../zh/index.html' : '../index.html';
  $('home').hidden = KERNELS.alone;
  $('picture').title = say('steps');
  offer();
}

function open(name) {
  for (const one of Object.keys(panels)) {
    $(`panel-${one}`).hidden = one !== name;
    $(`tab-${one}`).setAttribute('aria-selected', one === name);
    $(`tab-${one}`).tabIndex = one === name ? 0 : -1;
  }
  if (name === 'inspect') inspect();
}

const tabs = Object.keys(panels);
$('tabs').onkeydown = (event) => {
  const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!by) return;
  const here = tabs.findIndex((name) => `tab-${name}` === document.activeElement.id);
  const next = tabs[(here + by + tabs.length) % tabs.length];
  open(next);
  $(`tab-${next}`).focus();
};
for (const name of tabs) {
  $(`tab-${name}`).onclick = () => open(name);
  $(name).onsubmit = (event) => { event.preventDefault(); panels[name](); };
}
$('inspect').oninput = inspect;
$('chapter').onchange = offerKernels;
$('side').onchange = offer;
$('language').onclick = () => { language = language === 'zh' ? 'en' : 'zh'; speak(); };

speak();
if (KERNELS.chapters.includes(asked.get('chapter'))) $('chapter').value = asked.get('chapter');
offerKernels();
open('judge');
state(say('starting'));
start().then(() => { state(say('ready')); document.body.dataset.ready = 'yes'; }, (error) => state(say('failed', error.message), 'bad'));
