'use strict';
// Draws the recording of `lab step`. State: the number of a step, and who wrote each cell up to there. Nothing is
// counted here: sentences, places, values and costs are the recording's.
const data = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);
const steps = data.steps;
const kLanes = 32, kSectorBytes = 32, kBankRowBytes = 128;
let now = -1;

function t(english, ...values) {
  let next = 0;
  return (data.texts[english] || english).replace(/\{(\d*)\}/g, (_, i) => values[i === '' ? next++ : Number(i)]);
}

// A row of the recording as 32 entries; null where there is none.
function entries(row) {
  if (row === undefined) return Array(kLanes).fill(null);
  return Array.isArray(row) ? row : Array.from({length: kLanes}, (_, lane) => row.from + row.by * lane);
}
const lanesOf = (mask) => Array.from({length: kLanes}, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);
const accessesOf = (step) => step.accesses || [];

// Cells of an array: its elements, words where they are not known.
function cellsOf(array) {
  const unit = array.elem_bytes || 4;
  const known = array.extents.length > 0 && array.elem_bytes > 0;
  const count = known ? array.extents.reduce((a, b) => a * b, 1) : Math.ceil(array.bytes / unit);
  const row = Math.max(1, kBankRowBytes / unit);  // of an array without rows
  const cols = known && array.extents.length > 1 ? array.extents[array.extents.length - 1] : Math.min(row, count);
  return {unit, known, count, cols, rows: Math.ceil(count / cols)};
}

// By block where the array is shared.
const views = [];
data.blocks.forEach((place, block) => data.arrays.forEach((array, number) => {
  if (array.space === 'global' && block > 0) return;
  const view = {array, number, block, ...cellsOf(array)};
  view.writer = new Int32Array(view.count).fill(-1);
  views.push(view);
}));
views.sort((a, b) => (a.array.space === 'global') - (b.array.space === 'global'));
const viewOf = (access) => views.find(
    (v) => v.number === access.array && (v.array.space === 'global' || v.block === (access.block || 0)));

function touched(access, view) {
  const at = entries(access.offset);
  const cells = [];
  for (const lane of lanesOf(access.lanes)) {
    const last = Math.floor((at[lane] + access.bytes - 1) / view.unit);
    for (let cell = Math.floor(at[lane] / view.unit); cell <= last && cell < view.count; ++cell) cells.push(cell);
  }
  return cells;
}

// Cells of arrays that the TMA unit's copy reads or writes.
function copied(copy, view, block) {
  if (!copy.shared || view.array.space !== 'shared' || view.block !== block) return [];
  const from = copy.shared.offset - view.array.offset;
  return Array.from({length: view.count}, (_, cell) => cell)
      .filter((cell) => cell * view.unit >= from && cell * view.unit < from + copy.shared.bytes);
}

const writes = (access) => !access.op.endsWith('load') && access.op !== 'global_async';
function write(number) {
  for (const access of accessesOf(steps[number])) {
    const view = viewOf(access);
    if (view && writes(access))
      for (const cell of touched(access, view)) view.writer[cell] = number;
  }
  for (const copy of steps[number].copies || [])
    for (const view of views.filter(() => copy.written.op.startsWith('shared')))
      for (const cell of copied(copy, view, steps[number].block || 0)) view.writer[cell] = number;
}

// The step before this one that wrote a cell; this one where none did.
function writerBefore(view, cell) {
  if (view.writer[cell] !== now) return view.writer[cell] < 0 ? now : view.writer[cell];
  const wrote = (step) => accessesOf(step).some((a) => writes(a) && viewOf(a) === view && touched(a, view).includes(cell)) ||
                          (step.copies || []).some((copy) => copied(copy, view, step.block || 0).includes(cell));
  for (let k = now - 1; k >= 0; --k)
    if (wrote(steps[k])) return k;
  return now;
}

// In another matrix of a batch rows go on behind those of the first.
const nameOf = (array, element) => {
  const cols = array.extents[array.extents.length - 1];
  if (array.extents.length === 1) return `${array.name}[${element}]`;
  return array.space === 'global' ? `${array.name}(${Math.floor(element / cols)},${element % cols})` :
                                    `${array.name}[${Math.floor(element / cols)}][${element % cols}]`;
};
function placeName(access, offset) {
  const array = data.arrays[access.array];
  if (!array || !array.elem_bytes || array.extents.length > 2 || !array.extents.length || offset % array.elem_bytes) return t('byte {}', offset);
  return nameOf(array, offset / array.elem_bytes);
}
const valueName = (value) => value === null || value === undefined ? '' : Array.isArray(value) ? valueName(value[0]) + ' …' :
                             typeof value === 'number' ? nameOf(data.arrays[0], value) : value;

const hue = (warp) => (warp * 137.5 + 205) % 360;
const dark = matchMedia('(prefers-color-scheme: dark)');
const colourOf = (warp) => `hsl(${hue(warp)} 55% ${dark.matches ? 42 : 68}%)`;
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function drawArray(view, step) {
  const pen = view.canvas.getContext('2d'), size = view.size;
  pen.fillStyle = ink('--empty');
  pen.fillRect(0, 0, view.canvas.width, view.canvas.height);
  const box = (cell, grow = 0) => [(cell % view.cols) * size + grow, Math.floor(cell / view.cols) * size + grow, size - 1, size - 1];
  for (let cell = 0; cell < view.count; ++cell) {
    const by = view.writer[cell];
    pen.fillStyle = by < 0 ? ink('--panel') : colourOf(steps[by].warp || 0);
    pen.fillRect(...box(cell));
  }
  for (const access of accessesOf(step).filter((a) => viewOf(a) === view)) {
    const cells = touched(access, view);
    if (view.array.space === 'global') {
      pen.fillStyle = ink('--mark') + '44';
      const each = Math.max(1, kSectorBytes / view.unit);
      for (const sector of new Set(cells.map((cell) => Math.floor(cell / each))))
        for (let k = 0; k < each && sector * each + k < view.count; ++k) pen.fillRect(...box(sector * each + k));
    }
    pen.strokeStyle = ink('--ink');
    pen.lineWidth = size > 5 ? 2 : 1;
    for (const cell of new Set(cells)) pen.strokeRect(...box(cell));
  }
  pen.strokeStyle = ink('--mark');
  for (const copy of step.copies || [])
    for (const cell of copied(copy, view, step.block || 0)) pen.strokeRect(...box(cell));
}

function drawLanes(step) {
  const statement = step.what === 'statement';
  byId('lanes-title').textContent = statement ? t('Lanes of warp {}', step.warp) : t('Lanes');
  const access = accessesOf(step)[0];
  const at = access && entries(access.offset), value = access && entries(access.value);
  [...byId('lanes').children].forEach((box, lane) => {
    const active = statement && (step.active >>> lane) & 1, waits = statement && (step.waiting >>> lane) & 1;
    const acts = access && (access.lanes >>> lane) & 1;
    box.className = active ? 'active' : waits ? '' : 'gone';
    if (accessesOf(step).some((a) => (a.wrong >>> lane) & 1)) box.classList.add('wrong');
    box.innerText = `${lane}\n${acts ? placeName(access, at[lane]) : active ? '' : waits ? t('waits') : ''}\n${acts ? valueName(value[lane]) : ''}`;
  });
}

// A value that all lanes have stands once, others as 32 cells in the lanes' order.
function drawVariables(step) {
  const known = step.variables || [];
  byId('variables-title').textContent = t('Variables as the statement begins');
  byId('variables').replaceChildren(...known.map((variable) => {
    const box = document.createElement('div'), name = document.createElement('b');
    name.textContent = variable.name;
    box.append(name);
    if (!variable.values) {
      const value = document.createElement('span');
      value.textContent = 'value' in variable ? String(variable.value) : t('not computed here');
      value.className = 'value' in variable ? '' : 'unknown';
      box.append(value);
      return box;
    }
    const cells = document.createElement('span');
    cells.className = 'cells';
    entries(variable.values).forEach((value, lane) => {
      const cell = document.createElement('i');
      cell.textContent = value === null ? '' : String(value);
      cell.title = t('lane {}', lane) + (value === null ? '' : `: ${value}`);
      cells.append(cell);
    });
    box.append(cells);
    return box;
  }));
  if (step.what === 'statement' && !known.length) byId('variables').textContent = t('not computed here');
}

function drawWarps() {
  const last = new Map();
  for (let k = now; k >= 0 && last.size < byId('warps').children.length; --k) {
    const s = steps[k], key = `${s.block || 0}.${s.warp}`;
    if (s.what === 'statement' && !last.has(key)) last.set(key, [s, k]);
  }
  for (const box of byId('warps').children) {
    const [s, k] = last.get(box.dataset.key) || [null, -1];
    box.className = k === now ? 'now' : '';
    box.lastChild.data = t('warp {}', box.dataset.warp) + (s ? ` : ${s.line}` : '');
  }
}

// Another warp at this step is recorded anew: by the page around, where that has a simulator, else by a command.
function choose(warp) {
  const kept = data.choices.filter((choice) => choice.step < now).map((choice) => `${choice.step}:${choice.warp}`);
  const choices = [...kept, `${now}:${warp}`].join(',');
  byId('choice').textContent = t('With warp {} at step {}: {}', warp, now, `${data.command} --choose ${choices} --step ${now}`);
  if (parent !== window) parent.postMessage({choices, step: now}, '*');
}

function draw() {
  const step = steps[now];
  byId('at').value = now;
  byId('choice').textContent = '';
  byId('number').textContent = t('step {} of {}', now, data.total_steps);
  byId('says').textContent = step.says;
  byId('says').className = isFault(now) || isWrong(now) ? 'bad' : '';
  for (const line of byId('code').children) line.classList.toggle('here', Number(line.dataset.n) === step.line);
  const here = byId('code').querySelector('.here'), frame = byId('code');
  if (here) frame.scrollTop = here.offsetTop - frame.offsetTop - frame.clientHeight / 2;
  drawLanes(step);
  drawVariables(step);
  drawWarps();
  for (const view of views) drawArray(view, step);
}

// Writers are those up to this step: forwards what is new, backwards all from the first on.
function go(to) {
  const wanted = Math.max(0, Math.min(steps.length - 1, to));
  if (wanted === now) return;
  if (wanted < now) {
    for (const view of views) view.writer.fill(-1);
    now = -1;
  }
  while (now < wanted) write(++now);
  draw();
}

const isFault = (k) => data.found.some((f) => f.step === k);
const isWrong = (k) => accessesOf(steps[k]).some((a) => a.wrong);
const isBarrier = (k) => steps[k].what === 'barrier';
function toNext(is) {
  for (let k = now + 1; k < steps.length; ++k)
    if (is(k)) return go(k);
}

function build() {
  for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
    const words = walker.currentNode.data.replace(/\s+/g, ' ').trim();
    if (data.texts[words]) walker.currentNode.data = data.texts[words];
  }
  for (const node of document.querySelectorAll('[title], [aria-label]'))
    for (const name of ['title', 'aria-label'])
      if (node.hasAttribute(name)) node.setAttribute(name, t(node.getAttribute(name)));
  document.documentElement.lang = data.lang;
  byId('title').textContent = data.head;
  byId('notes').textContent = data.notes.join(' ');
  byId('at').max = steps.length - 1;
  const ran = new Set(steps.map((s) => s.line));
  data.source.forEach((text, k) => {
    const line = document.createElement('pre');
    line.dataset.n = k + 1;
    line.textContent = text || ' ';
    if (ran.has(k + 1)) {
      line.className = 'run';
      line.onclick = () => toNext((n) => steps[n].line === k + 1);
    }
    byId('code').append(line);
  });
  for (let lane = 0; lane < kLanes; ++lane) byId('lanes').append(document.createElement('div'));
  const warps = new Map(steps.filter((s) => s.what === 'statement').map((s) => [`${s.block || 0}.${s.warp}`, s]));
  for (const [key, s] of warps) {
    const box = document.createElement('span'), mark = document.createElement('i');
    box.dataset.key = key;
    box.dataset.warp = data.blocks.length > 1 ? key : s.warp;
    box.title = t('Let this warp go on at this step');
    box.onclick = () => { if ((steps[now].block || 0) === (s.block || 0)) choose(s.warp); };
    mark.style.background = colourOf(s.warp);
    box.append(mark, '');
    byId('warps').append(box);
  }
  for (const view of views) {
    const title = document.createElement('h2');
    const of = view.array.extents.map((n) => `[${n}]`).join('');
    title.textContent = view.array.name + of + (data.blocks.length > 1 && view.array.space === 'shared' ? ` · ${data.blocks[view.block]}` : '');
    view.canvas = document.createElement('canvas');
    view.size = Math.max(3, Math.min(12, Math.floor(600 / view.cols), Math.floor(420 / view.rows)));
    view.canvas.width = view.cols * view.size;
    view.canvas.height = view.rows * view.size;
    view.canvas.setAttribute('role', 'img');
    view.canvas.setAttribute('aria-label', title.textContent);
    view.canvas.onclick = (event) => {
      const scale = view.canvas.width / view.canvas.clientWidth;
      const cell = Math.floor(event.offsetY * scale / view.size) * view.cols + Math.floor(event.offsetX * scale / view.size);
      go(writerBefore(view, cell));
    };
    const figure = document.createElement('div');
    figure.append(title, view.canvas);
    byId('arrays').append(figure);
  }
}

const keys = {
  ArrowLeft: () => go(now - 1), ArrowRight: () => go(now + 1), Home: () => go(0), End: () => go(steps.length - 1),
  b: () => toNext(isBarrier), f: () => toNext(isFault), w: () => toNext(isWrong),
};
document.addEventListener('keydown', (event) => {
  if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  keys[event.key]();
});
for (const [id, key] of [['first', 'Home'], ['back', 'ArrowLeft'], ['on', 'ArrowRight'], ['last', 'End'], ['barrier', 'b'], ['fault', 'f'], ['wrong', 'w']])
  byId(id).onclick = keys[key];
byId('at').oninput = (event) => go(Number(event.target.value));
dark.onchange = draw;
build();
go(data.start || Number(new URLSearchParams(location.hash.slice(1)).get('k')) || 0);
