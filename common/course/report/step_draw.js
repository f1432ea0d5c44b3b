'use strict';
// Draws a step of the recording of `lab step`: what is drawn again is what changed. Nothing is counted here: sentences,
// places, values and costs are the recording's. step.js says which step it is and who wrote each cell up to there.
const data = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);
const steps = data.steps;
for (const step of steps)
  if (typeof step.callers === 'number') step.callers = steps[step.callers].callers;  // as they were there
const kLanes = 32, kSectorBytes = 32, kBankRowBytes = 128, kBankBytes = 4, kBanks = 32;

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
const keyOf = (step) => `${step.block || 0}.${step.warp}`;

// Cells of an array: its elements, words where they are not known.
function cellsOf(array) {
  const unit = array.elem_bytes || 4;
  const known = array.extents.length > 0 && array.elem_bytes > 0;
  const count = known ? array.extents.reduce((a, b) => a * b, 1) : Math.ceil(array.bytes / unit);
  const row = Math.max(1, kBankRowBytes / unit);  // of an array without rows
  const cols = known && array.extents.length > 1 ? array.extents[array.extents.length - 1] : Math.min(row, count);
  return {unit, known, count, cols, rows: Math.ceil(count / cols)};
}

// By block where the array is shared. `writer`: who wrote each cell; `awaited`: copies on their way to it, `leaving`: from it; `stale`: cells to be
// painted anew.
const views = [];
data.blocks.forEach((place, block) => data.arrays.forEach((array, number) => {
  if (array.space === 'global' && block > 0) return;
  const view = {array, number, block, ...cellsOf(array), framed: []};
  view.writer = new Int32Array(view.count).fill(-1);
  view.awaited = new Uint16Array(view.count), view.leaving = new Uint16Array(view.count);
  view.stale = new Set(view.writer.keys());
  views.push(view);
}));
views.sort((a, b) => (a.array.space === 'global') - (b.array.space === 'global'));
const viewOf = (access) => views.find(
    (v) => v.number === access.array && (v.array.space === 'global' || v.block === (access.block || 0)));

function cellsOfLane(access, view, offset) {
  const cells = [], last = Math.floor((offset + access.bytes - 1) / view.unit);
  for (let cell = Math.floor(offset / view.unit); cell <= last && cell < view.count; ++cell) cells.push(cell);
  return cells;
}
function touched(access, view) {
  const at = entries(access.offset);
  return lanesOf(access.lanes).flatMap((lane) => cellsOfLane(access, view, at[lane]));
}

// Cells of an array that an asynchronous copy touches, or those that it writes, or reads.
function copied(copy, view, written) {
  const here = copy.spans.filter((s) => s.array === view.number && (s.block || 0) === view.block && (written === undefined || Boolean(s.written) === written));
  return here.flatMap((s) => cellsOfLane(s, view, s.offset));
}

// In another matrix of a batch rows go on behind those of the first.
const nameOf = (array, element) => {
  const cols = array.extents[array.extents.length - 1];
  if (array.extents.length === 1) return `${array.name}[${element}]`;
  return array.space === 'global' ? `${array.name}(${Math.floor(element / cols)},${element % cols})` :
                                    `${array.name}[${Math.floor(element / cols)}][${element % cols}]`;
};
const hasNames = (array) => array && array.elem_bytes > 0 && array.extents.length > 0 && array.extents.length <= 2;
function placeName(access, offset) {
  const array = data.arrays[access.array];
  return hasNames(array) && offset % array.elem_bytes === 0 ? nameOf(array, offset / array.elem_bytes) : t('byte {}', offset);
}
const cellName = (view, cell) => hasNames(view.array) ? nameOf(view.array, cell) : t('byte {}', cell * view.unit);
const valueName = (value) => value === null || value === undefined ? '' : Array.isArray(value) ? valueName(value[0]) + ' …' :
                             typeof value === 'number' ? nameOf(data.arrays[0], value) : value;

// ---- colours, by warp or by bank
const dark = matchMedia('(prefers-color-scheme: dark)');
let inks = {}, colours = [], byBank = false;
const hue = (warp) => (warp * 137.5 + 205) % 360;
const colourOf = (warp) => colours[warp] ||= `hsl(${hue(warp)} 55% ${dark.matches ? 42 : 68}%)`;
const bankColour = (bank) => `hsl(${bank * 360 / kBanks} 45% ${dark.matches ? 30 + bank % 2 * 10 : 62 + bank % 2 * 12}%)`;
function stripes(colour) {
  const square = document.createElement('canvas'), pen = square.getContext('2d');
  square.width = square.height = 4;
  pen.fillStyle = colour;
  for (let k = 0; k < 4; ++k) pen.fillRect(k, 3 - k, 1, 1);
  return pen.createPattern(square, 'repeat');
}
function takeColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['empty', 'panel', 'mark', 'ink']) inks[name] = style.getPropertyValue(`--${name}`).trim();
  inks.stripes = stripes(inks.mark);
  colours = [];
  for (const view of views) view.stale = new Set(view.writer.keys());
  for (const box of byId('warps').children) box.firstChild.style.background = colourOf(Number(box.dataset.number));
}
function colourOfCell(view, cell) {
  if (byBank && view.array.space === 'shared')
    return bankColour(Math.floor((view.array.offset + cell * view.unit) / kBankBytes) % kBanks);
  return view.writer[cell] < 0 || view.awaited[cell] ? inks.panel : colourOf(steps[view.writer[cell]].warp || 0);
}

// ---- arrays: a cell stays inside of its square, so that it can be painted anew alone
const corner = (view, cell) => [(cell % view.cols) * view.size, Math.floor(cell / view.cols) * view.size];
function frame(view, cells, colour) {
  const {pen, size} = view, width = size > 5 ? 2 : 1;
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  for (const cell of cells) {
    const [x, y] = corner(view, cell);
    pen.rect(x + width / 2, y + width / 2, size - width, size - width);
    view.framed.push(cell);
  }
  pen.stroke();
}
function shadeSectors(view, cells) {
  const each = Math.max(1, kSectorBytes / view.unit);
  view.pen.fillStyle = inks.mark + '44';
  for (const sector of new Set(cells.map((cell) => Math.floor(cell / each))))
    for (let cell = sector * each; cell < Math.min(view.count, (sector + 1) * each); ++cell) {
      view.pen.fillRect(...corner(view, cell), view.size - 1, view.size - 1);
      view.framed.push(cell);
    }
}
function drawArray(view, step) {
  const {pen, size} = view;
  for (const cell of view.framed) view.stale.add(cell);
  view.framed = [];
  for (const cell of view.stale) {
    const [x, y] = corner(view, cell);
    pen.fillStyle = inks.empty;
    pen.fillRect(x, y, size, size);
    pen.fillStyle = colourOfCell(view, cell);
    pen.fillRect(x, y, size - 1, size - 1);
    if (view.awaited[cell] || view.leaving[cell]) pen.fillStyle = inks.stripes, pen.fillRect(x, y, size - 1, size - 1);
  }
  view.stale.clear();
  for (const access of accessesOf(step).filter((a) => viewOf(a) === view)) {
    const cells = [...new Set(touched(access, view))];
    if (view.array.space === 'global') shadeSectors(view, cells);
    frame(view, cells, inks.ink);
  }
  for (const copy of step.copies || []) frame(view, copied(copy, view), inks.mark);
  if (view.cursor !== undefined) frame(view, [view.cursor], inks.mark);
}

// ---- texts: a place in the page is written where it reads otherwise
function put(node, text) {
  if (node.data !== text) node.data = text;
}
function putStyle(element, name, value) {
  if (element[name] !== value) element.style.setProperty(name, element[name] = value);
}
function putClass(element, name) {
  if (element.className !== name) element.className = name;
}

function drawLanes(step) {
  const statement = step.what === 'statement';
  byId('lanes-title').textContent = statement ? t('Lanes of warp {}', step.warp) : t('Lanes');
  const access = accessesOf(step)[0];
  const at = access && entries(access.offset), value = access && entries(access.value);
  const wrong = accessesOf(step).reduce((mask, a) => mask | (a.wrong || 0), 0);
  [...byId('lanes').children].forEach((box, lane) => {
    const active = statement && (step.active >>> lane) & 1, waits = statement && (step.waiting >>> lane) & 1;
    const acts = access && (access.lanes >>> lane) & 1;
    putClass(box, (active ? 'active' : waits ? '' : 'gone') + ((wrong >>> lane) & 1 ? ' wrong' : ''));
    put(box.childNodes[2], acts ? placeName(access, at[lane]) : active ? '' : waits ? t('waits') : '');
    put(box.childNodes[4], acts ? valueName(value[lane]) : '');
  });
}

// A row of the table of variables: its name, one value, and 32 cells in the lanes' order.
function variableRow() {
  const row = document.createElement('div'), name = document.createElement('b'), one = document.createElement('span'),
        cells = document.createElement('span');
  name.append('');
  one.append('');
  cells.className = 'cells';
  for (let lane = 0; lane < kLanes; ++lane) {
    const cell = document.createElement('i');
    cell.dataset.lane = lane;
    cell.append('');
    cells.append(cell);
  }
  row.append(name, one, cells);
  byId('variables').append(row);
  return row;
}

// Rows of the table: variables, in a called function under the name of each frame.
function rowsOf(step) {
  if (!step.callers) return step.variables || [];
  const functions = [step.function, ...step.callers.map((c) => c.function)], own = [step.variables, ...step.callers.map((c) => c.variables)];
  return own.flatMap((variables, k) => {
    const line = step.callers[k]?.line, name = functions[k];
    const frame = line === undefined ? t('the kernel') : name ? t('{}, called on line {}', name, line) : t('a function, called on line {}', line);
    return [{frame}, ...(variables || [])];
  });
}

// A value that all lanes have stands once, others by lane.
function drawVariables(step) {
  const known = rowsOf(step), box = byId('variables');
  while (box.children.length < known.length) variableRow();
  [...box.children].forEach((row, k) => {
    const variable = known[k], [name, one, cells] = row.children;
    row.hidden = !variable;
    if (!variable) return;
    put(name.firstChild, variable.frame || variable.name);
    putClass(row, variable.frame ? 'frame' : '');
    cells.hidden = !variable.values;
    one.hidden = !cells.hidden || Boolean(variable.frame);
    putClass(one, 'value' in variable ? '' : 'unknown');
    if (variable.values)
      entries(variable.values).forEach((value, lane) => put(cells.children[lane].firstChild, value === null ? '' : String(value)));
    else
      put(one.firstChild, 'value' in variable ? String(variable.value) : variable.unwritten ? t('not written yet') : t('not computed here'));
  });
}

// Where each warp of the recorded blocks stands: `stands`, the last step of each; `opened`, when a barrier let its block go on.
function drawWarps(stands, opened) {
  const boxes = [...byId('warps').children];
  let waiting = 0;
  for (const box of boxes) {
    const at = stands.get(box.dataset.key) ?? -1, step = steps[at];
    const waits = step?.arrives && at > (opened.get(step.block || 0) ?? -1), over = step && at === Number(box.dataset.last) && at < now;
    waiting += waits ? 1 : 0;
    putClass(box, at === now ? 'now' : waits ? 'waits' : over && !waits ? 'over' : '');
    put(box.childNodes[1], t('warp {}', box.dataset.warp) + (step ? ` : ${step.line}` : ''));
    putStyle(box.lastChild, '--at', onRail.get(at) ?? 0);
  }
  put(byId('waiting').firstChild, waiting ? t('{} of {} wait at a barrier', waiting, boxes.length) : '');
}
