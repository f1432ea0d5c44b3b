// Which step of the recording is shown, and how one comes to another. State: the number of a step, who wrote each
// cell up to there, and where each warp stands; a step that is taken back restores what was before it.
let now = -1, way = '';  // what is said of copies on their way
const stands = new Map(), opened = new Map(), onRail = new Map();
const before = [];  // by step: [map, key, value] and [view, cell, writer] as they were

const writes = (access) => !access.op.endsWith('load') && access.op !== 'global_async';
function cellsWrittenIn(step) {
  const written = [];
  for (const access of accessesOf(step)) {
    const view = viewOf(access);
    if (view && writes(access)) written.push([view, touched(access, view)]);
  }
  for (const copy of step.copies || [])
    if (copy.read.op !== 'global_async')  // of that its landing is an access
      for (const view of views) written.push([view, copied(copy, view, true)]);
  return written;
}

// Copies that start in a step, and those that have landed by then.
function onTheirWay(step, by) {
  const count = (copy, more) => {
    for (const view of views)
      for (const [cells, counts] of [[copied(copy, view, true), view.awaited], [copied(copy, view, false), view.leaving]])
        for (const cell of cells) counts[cell] += more, view.stale.add(cell);
  };
  for (const copy of step.copies || []) count(copy, by);
  for (const [began, number] of step.landed || []) count(steps[began].copies[number], -by);
}

// A barrier of the block or cluster; a phase of an mbarrier lets nothing go that waits at one.
const letsGo = (step) => step.what === 'barrier' || step.object < 16;

function onward() {
  const step = steps[++now], undo = before[now] = {cells: [], way};
  onTheirWay(step, 1);
  way = step.on_their_way ?? way;
  const [map, key] = step.what === 'statement' ? [stands, keyOf(step)] : [opened, letsGo(step) ? step.block || 0 : 'other'];
  undo.map = map, undo.key = key, undo.value = map.get(key);
  map.set(key, now);
  for (const [view, cells] of cellsWrittenIn(step)) {
    undo.cells.push([view, cells, cells.map((cell) => view.writer[cell])]);
    for (const cell of cells) view.writer[cell] = now, view.stale.add(cell);
  }
}
function backward() {
  const undo = before[now--];
  onTheirWay(steps[now + 1], -1);
  way = undo.way;
  undo.value === undefined ? undo.map.delete(undo.key) : undo.map.set(undo.key, undo.value);
  for (const [view, cells, writers] of undo.cells.reverse())
    for (let k = cells.length; k-- > 0;) view.writer[cells[k]] = writers[k], view.stale.add(cells[k]);
}

// The step before this one that wrote a cell; this one where none did.
function writerBefore(view, cell) {
  if (view.writer[cell] !== now) return view.writer[cell] < 0 ? now : view.writer[cell];
  const written = before[now].cells.find(([of, cells]) => of === view && cells.includes(cell));
  const last = written[2][written[1].indexOf(cell)];
  return last < 0 ? now : last;
}

// Another warp at this step is recorded anew: by the page around, where that has a simulator, else by a command.
function choose(warp) {
  const kept = data.choices.filter((choice) => choice.step < now).map((choice) => `${choice.step}:${choice.warp}`);
  const choices = [...kept, `${now}:${warp}`].join(',');
  note(t('With warp {} at step {}: {}', warp, now, `${data.command} --choose ${choices} --step ${now}`));
  if (parent !== window) parent.postMessage({choices, step: now}, '*');
}
const note = (text) => { byId('choice').textContent = text; };

// The code scrolls by what was measured once: asking for places at each step would lay out the page twice.
let lineHeight = 0, codeHeight = 0, shownLine = 0;
// As high as its longest text: what stands below stays where it is.
function reserve(element, texts, words = element) {
  const shown = words.textContent, longest = texts.reduce((a, b) => b.length > a.length ? b : a, '');
  element.style.setProperty('--tall', 0);
  words.textContent = longest;
  element.style.setProperty('--tall', `${Math.ceil(element.getBoundingClientRect().height)}px`);
  words.textContent = shown;
}
// The same for one line, by its letters: Chinese ones are twice as wide.
function reserveLine(element, longest) {
  element.style.setProperty('--wide', [...longest].reduce((sum, letter) => sum + (letter > '\u2e7f' ? 2 : 1), 0));
}
function measure() {
  reserve(byId('spoken'), steps.map((step) => step.says), byId('says'));
  reserve(byId('way'), steps.map((step) => step.on_their_way || ''));
  lineHeight = byId('code').firstChild.getBoundingClientRect().height;
  codeHeight = byId('code').clientHeight;
}
// A barrier opens on the line of the statement that came to it last.
const lineOf = (k) => steps[k].line || (k > 0 ? lineOf(k - 1) : 0);
function drawLine(line) {
  if (line === shownLine) return;
  const lines = byId('code').children;
  lines[shownLine - 1]?.classList.remove('here');
  lines[line - 1]?.classList.add('here');
  if (line > 0) byId('code').scrollTop = (line - .5) * lineHeight - codeHeight / 2;
  shownLine = line;
}

function draw() {
  const step = steps[now];
  drawLine(lineOf(now));
  byId('at').value = now;
  byId('number').textContent = t('step {} of {}', now, data.total_steps);
  // One text: screen readers say only what changes, and a sentence may be the last one's again.
  byId('heard').textContent = `${t('step {}', now)}, ${step.line ? `${t('warp {}, line {}', step.warp, step.line)}: ` : ''}${step.says}`;
  byId('says').textContent = step.says;
  putClass(byId('says'), isFault(now) || isWrong(now) ? 'bad' : '');
  if (byId('way').textContent !== way) byId('way').textContent = way;
  drawLanes(step);
  drawVariables(step);
  drawWarps(stands, opened);
  for (const view of views) drawArray(view, step);
}

function go(to) {
  const wanted = Math.max(0, Math.min(steps.length - 1, to));
  if (wanted === now) return;
  while (now > wanted) backward();
  while (now < wanted) onward();
  note('');
  asked = null;
  draw();
}

const faults = new Set(data.found.map((f) => f.step));
const isFault = (k) => faults.has(k);
const isWrong = (k) => accessesOf(steps[k]).some((a) => a.wrong);
const isBarrier = (k) => steps[k].what === 'barrier';
const ofThisWarp = (k) => steps[k].what === 'statement' && keyOf(steps[k]) === keyOf(steps[now]);
const depth = (k) => (steps[k].callers || []).length;
const overCalls = (k) => ofThisWarp(k) && depth(k) <= depth(now);
function toNext(is) {
  for (let k = now + 1; k < steps.length; ++k)
    if (is(k)) return go(k);
  note(t('No such step comes behind this one.'));
}

// ---- "What will this lane touch?", answered by a click on a cell
let asked = null;
function ask() {
  for (let k = now + 1; k < steps.length; ++k) {
    const access = accessesOf(steps[k]).find((a) => viewOf(a) && hasNames(data.arrays[a.array]));
    if (!access) continue;
    const lanes = lanesOf(access.lanes), lane = lanes[(k * 7 + 1) % lanes.length];
    asked = {step: k, access, view: viewOf(access), lane};
    const words = [lane, steps[k].warp, steps[k].line, data.arrays[access.array].name];
    return note(writes(access) ? t('Which cell does lane {} of warp {} write next, on line {}? Click it in {}.', ...words) :
                                 t('Which cell does lane {} of warp {} read next, on line {}? Click it in {}.', ...words));
  }
  note(t('No such step comes behind this one.'));
}
function answer(view, cell) {
  const {step, access, lane} = asked, offset = entries(access.offset)[lane];
  const right = view === asked.view && cellsOfLane(access, view, offset).includes(cell);
  go(step);
  const words = [lane, placeName(access, offset), cellName(view, cell)];
  note(right ? t('Right: lane {} touches {}.', ...words) : t('Lane {} touches {}, not {}.', ...words));
}

function pick(view, cell) {
  if (asked) return answer(view, cell);
  const by = writerBefore(view, cell);
  if (by !== now) return go(by);
  note(view.writer[cell] < 0 ? t('{} is not written yet.', cellName(view, cell)) : t('{} was not written before.', cellName(view, cell)));
}

// ---- the page, once
function translate() {
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
}

// With the keyboard: up and down choose a line, Enter goes to its next step.
function buildSource() {
  const ran = new Set(steps.map((s) => s.line)), code = byId('code');
  data.source.forEach((text, k) => {
    const line = document.createElement('pre');
    line.dataset.n = k + 1;
    line.textContent = text || ' ';
    if (ran.has(k + 1)) {
      line.className = 'run';
      line.onclick = () => toNext((n) => steps[n].line === k + 1);
    }
    code.append(line);
  });
  const lines = [...code.querySelectorAll('.run')];
  let chosen = -1;
  code.onkeydown = (event) => {
    const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
    if (!by && (event.key !== 'Enter' || chosen < 0)) return;
    event.preventDefault();
    if (!by) return lines[chosen].click();
    lines[chosen]?.classList.remove('chosen');
    chosen = Math.max(0, Math.min(lines.length - 1, chosen + by));
    lines[chosen].classList.add('chosen');
    lines[chosen].scrollIntoView({block: 'nearest'});
    note(t('Line {}: {}', lines[chosen].dataset.n, lines[chosen].textContent.trim()));
  };
}

// On a warp's rail barriers lie at equal distances: who waits at one stands on its mark. The number of parts.
function placeOnRail(own) {
  const ends = own.flatMap((k, n) => steps[k].arrives || n === own.length - 1 ? [n + 1] : []);
  let part = 0, begin = 0;
  own.forEach((k, n) => {
    if (n === ends[part]) begin = ends[part++];
    onRail.set(k, (part + (n + 1 - begin) / (ends[part] - begin)) / ends.length);
  });
  return ends.length;
}

function buildWarps() {
  const own = new Map();
  steps.forEach((s, k) => {
    if (s.what === 'statement') (own.get(keyOf(s)) || own.set(keyOf(s), []).get(keyOf(s))).push(k);
  });
  for (const key of [...own.keys()].sort((a, b) => a - b || a.split('.')[1] - b.split('.')[1])) {
    const last = own.get(key).at(-1), s = steps[last], [box, mark, rail] = ['button', 'i', 'u'].map((tag) => document.createElement(tag));
    Object.assign(box.dataset, {key, number: s.warp, warp: data.blocks.length > 1 ? key : s.warp, last});
    rail.style.setProperty('--parts', placeOnRail(own.get(key)));
    box.title = t('Let this warp go on at this step');
    box.onclick = () => { if ((steps[now].block || 0) === (s.block || 0)) choose(s.warp); };
    box.append(mark, '', rail);
    byId('warps').append(box);
  }
  reserveLine(byId('warps'), `${t('warp {}', byId('warps').lastChild.dataset.warp)} : ${data.source.length}`);
}

// With the keyboard: arrows move a frame, Enter goes where its cell was written.
function buildArray(view) {
  const title = document.createElement('h2'), figure = document.createElement('div');
  const of = view.array.extents.map((n) => `[${n}]`).join('');
  title.textContent = view.array.name + of + (data.blocks.length > 1 && view.array.space === 'shared' ? ` · ${data.blocks[view.block]}` : '');
  const canvas = view.canvas = document.createElement('canvas');
  view.pen = canvas.getContext('2d', {alpha: false});
  view.size = Math.max(3, Math.min(12, Math.floor(600 / view.cols), Math.floor(420 / view.rows)));
  canvas.width = view.cols * view.size;
  canvas.height = view.rows * view.size;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', t('{}: arrows choose a cell, Enter goes where it was written', title.textContent));
  canvas.onclick = (event) => {
    const scale = canvas.width / canvas.clientWidth;
    const cell = Math.floor(event.offsetY * scale / view.size) * view.cols + Math.floor(event.offsetX * scale / view.size);
    if (cell < view.count) pick(view, cell);
  };
  canvas.onkeydown = (event) => {
    const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -view.cols, ArrowDown: view.cols}[event.key];
    if (!by && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    view.cursor ??= 0;
    if (!by) return pick(view, view.cursor);
    if (view.cursor + by >= 0 && view.cursor + by < view.count) view.cursor += by;
    drawArray(view, steps[now]);
    const by_step = view.writer[view.cursor];
    note(by_step < 0 ? t('{} is not written yet.', cellName(view, view.cursor)) : t('{}: written in step {}', cellName(view, view.cursor), by_step));
  };
  canvas.onblur = () => { view.cursor = undefined; drawArray(view, steps[now]); };
  figure.append(title, canvas);
  byId('arrays').append(figure);
}

// The table is as high as its longest needs: what stands below stays where it is.
function buildVariables() {
  const rows = (cells) => steps.reduce(
      (most, step) => Math.max(most, rowsOf(step).reduce((sum, v) => sum + (v.values ? cells : 1), 0)), 1);
  byId('variables').style.setProperty('--wide', rows(4));
  byId('variables').style.setProperty('--narrow', rows(8));
  byId('variables').onpointerover = ({target}) => {
    if (target.dataset.lane) target.title = `${t('lane {}', target.dataset.lane)}: ${target.textContent}`;
  };
}

function build() {
  translate();
  buildSource();
  buildWarps();
  buildVariables();
  byId('at').max = steps.length - 1;
  reserveLine(byId('number'), t('step {} of {}', data.total_steps, data.total_steps));
  byId('waiting').append('');
  byId('way').hidden = byId('striped').hidden = !steps.some((step) => step.copies);
  if (data.registers) byId('variables-title').textContent = t('Registers as the statement begins');
  for (let lane = 0; lane < kLanes; ++lane) {
    const box = document.createElement('div');
    box.append(lane, document.createElement('br'), '', document.createElement('br'), '');
    byId('lanes').append(box);
  }
  for (const view of views) buildArray(view);
  byId('banks').hidden = !views.some((view) => view.array.space === 'shared');
  takeColours();
  new ResizeObserver(measure).observe(byId('code'));
  measure();
}

function showBanks() {
  byBank = !byBank;
  byId('banks').setAttribute('aria-pressed', byBank);
  takeColours();
  draw();
}
const keys = {
  ArrowLeft: () => go(now - 1), ArrowRight: () => go(now + 1), Home: () => go(0), End: () => go(steps.length - 1),
  s: () => toNext(ofThisWarp), o: () => toNext(overCalls), b: () => toNext(isBarrier), f: () => toNext(isFault), w: () => toNext(isWrong), k: showBanks, q: ask,
};
document.addEventListener('keydown', (event) => {
  if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  keys[event.key]();
});
const buttons = {first: 'Home', back: 'ArrowLeft', on: 'ArrowRight', last: 'End', same: 's', over: 'o', barrier: 'b', fault: 'f', wrong: 'w', banks: 'k', ask: 'q'};
for (const [id, key] of Object.entries(buttons)) byId(id).onclick = keys[key];
byId('at').oninput = (event) => go(Number(event.target.value));
dark.onchange = () => { takeColours(); draw(); };
build();
go(data.start || Number(new URLSearchParams(location.hash.slice(1)).get('k')) || 0);
