'use strict';
// The pictures of the page, as SVG elements. Enters: a card (see cards() in page.js). Leaves: nodes. `state.step` is the
// wavefront or sector that is selected now.

function picture(columns, rows, left, label) {
  const svg = shape(
      'svg', {viewBox: `0 0 ${left + columns * 16} ${rows * 16 + 14}`, role: 'img', 'aria-label': label});
  svg.append(shape('title', {}, label));
  return svg;
}

function cell(svg, x, y, colour, text, classes) {
  const dim = classes.includes('dim');
  const rect = {x: x + .75, y: y + .75, width: 14.5, height: 14.5, class: classes};
  if (colour) rect.fill = data.colours[colour.bank][0];
  svg.append(shape('rect', rect));
  if (text === '') return;
  const fill = dim || !colour ? 'currentColor' : data.colours[colour.bank][1];
  svg.append(shape('text', {x: x + 8, y: y + 8.5, class: dim ? 'faint' : '', fill}, text));
}

// What labels on the left need, at least `least`.
const roomFor = (labels, least) => Math.max(least, ...labels.map((label) => 10 + 5.4 * String(label).length));

function axis(svg, columns, left, every = 4) {
  for (let i = 0; i < columns; i += every)
    svg.append(shape('text', {x: left + i * 16 + 8, y: 7, class: 'axis'}, i));
}

// The tile as the program sees it: every element in the colour of its bank, the touched ones framed.
function drawTile(card) {
  const elements = card.kernel.tiles[card.site.tile].elements, view = viewOf(card);
  const offsets = elements.offsets[card.layout], left = 26;
  const lane = new Map();
  view.address.forEach((a, i) => {
    if (a >= 0)
      for (let b = 0; b < widthOf(card); b += elements.bytes) lane.set(a + b, i);
  });
  const svg =
      picture(elements.cols, elements.rows, left, t('The tile, row by row, in the colours of the banks'));
  axis(svg, elements.cols, left);
  for (let y = 0; y < elements.rows; ++y) {
    if (y % 4 === 0) svg.append(shape('text', {x: left - 4, y: 14 + y * 16 + 8, class: 'side'}, y));
    for (let x = 0; x < elements.cols; ++x) {
      const offset = offsets[y * elements.cols + x];
      if (offset < 0) continue;
      const bank = Math.floor(offset / 4) % 32, who = lane.get(offset);
      const classes = who === undefined ? 'dim' : view.step[who] === state.step ? 'now' : 'lane';
      cell(svg, left + x * 16, 14 + y * 16, {bank}, bank, classes);
    }
  }
  return svg;
}

// Memory as it lies: 32 banks a row.
function drawMemory(card) {
  const view = viewOf(card), words = new Map();
  view.address.forEach((a, i) => {
    if (a < 0) return;
    for (let w = Math.floor(a / 4); w <= Math.floor((a + widthOf(card) - 1) / 4); ++w) words.set(w, i);
  });
  const lines = [...new Set([...words.keys()].map((w) => Math.floor(w / 32)))].sort((a, b) => a - b);
  const labels = lines.map((line) => t('byte {}', grouped(line * 128)));
  const left = roomFor(labels, 44), svg = picture(32, lines.length, left, t('Memory, 32 banks a row; the number is the lane'));
  axis(svg, 32, left);
  lines.forEach((line, row) => {
    svg.append(shape('text', {x: left - 4, y: 14 + row * 16 + 8, class: 'side'}, labels[row]));
    for (let bank = 0; bank < 32; ++bank) {
      const who = words.get(line * 32 + bank);
      if (who === undefined)
        cell(svg, left + bank * 16, 14 + row * 16, null, '', 'empty');
      else
        cell(
            svg, left + bank * 16, 14 + row * 16, {bank}, who,
            view.step[who] === state.step ? 'now' : 'lane');
    }
  });
  return svg;
}

// The 32 banks at work: a row for each wavefront.
function drawWavefronts(card) {
  const view = viewOf(card), left = 26;
  const svg =
      picture(32, view.cost, left, t('{}, one a row; the number is the lane', plural(view.cost, 'wavefronts')));
  axis(svg, 32, left);
  for (let row = 0; row < view.cost; ++row) {
    svg.append(shape('text', {x: left - 4, y: 14 + row * 16 + 8, class: 'side'}, row + 1));
    for (let bank = 0; bank < 32; ++bank) cell(svg, left + bank * 16, 14 + row * 16, null, '', 'empty');
  }
  view.address.forEach((a, lane) => {
    if (a < 0) return;
    const first = Math.floor(a / 4), last = Math.floor((a + widthOf(card) - 1) / 4), row = view.step[lane];
    for (let w = first; w <= last; ++w) {
      cell(svg, left + w % 32 * 16, 14 + row * 16, {bank: w % 32}, lane, row > state.step ? 'dim' : 'lane');
    }
  });
  if (state.step < view.cost) {
    svg.append(shape('rect', {x: left, y: 14 + state.step * 16, width: 512, height: 16, class: 'row-now'}));
  }
  return svg;
}

// Global memory: a row for each sector of 32 bytes.
function drawSectors(card) {
  const view = viewOf(card), words = new Map();
  const left = roomFor(view.sectors.map((start) => `+${grouped(start)}`), 44);
  view.address.forEach((a, lane) => {
    if (a < 0) return;
    for (let w = Math.floor(a / 4); w <= Math.floor((a + widthOf(card) - 1) / 4); ++w) words.set(w, lane);
  });
  const svg = picture(
      32, view.sectors.length, left, t('{}, one a row; the number is the lane', plural(view.cost, 'sectors')));
  view.sectors.forEach((start, row) => {
    svg.append(shape('text', {x: left - 4, y: 14 + row * 16 + 8, class: 'side'}, `+${grouped(start)}`));
    for (let w = 0; w < 8; ++w) {
      const who = words.get(start / 4 + w), x = left + w * 16, y = 14 + row * 16;
      if (who === undefined)
        cell(svg, x, y, null, '', 'empty');
      else
        cell(svg, x, y, {bank: 31}, who, row > state.step ? 'dim' : 'lane');
    }
    if (row === state.step)
      svg.append(shape('rect', {x: left, y: 14 + row * 16, width: 128, height: 16, class: 'row-now'}));
  });
  return svg;
}

// Why it takes so many: the words that the lanes want, bank by bank.
function reason(card) {
  const view = viewOf(card), lanes = view.address.filter((a) => a >= 0).length;
  if (!isShared(card.site)) {
    return t('{} lanes want {} bytes at most; {} × 32 = {} bytes move.', lanes, lanes * widthOf(card), view.cost, view.cost * 32);
  }
  const words = new Set();
  for (const a of view.address) {
    for (let w = Math.floor(a / 4); a >= 0 && w <= Math.floor((a + widthOf(card) - 1) / 4); ++w) words.add(w);
  }
  const banks = new Array(32).fill(0);
  for (const w of words) ++banks[w % 32];
  const most = Math.max(...banks), used = banks.filter((n) => n > 0).length;
  if (view.cost > view.ideal && most > 1) {
    return t('{} words lie in {}; bank {} alone is asked for {}, one after another.', words.size, plural(used, 'banks'), banks.indexOf(most), most);
  }
  return view.cost === 1 ? t('{} words lie in {}: all are served at once.', words.size, plural(used, 'banks')) :
                           t('{} words lie in {}: 32 banks hand out 32 a wavefront.', words.size, plural(used, 'banks'));
}

function drawCard(card) {
  const view = viewOf(card), shared = isShared(card.site), unit = card.site.unit;
  const tile = card.kernel.tiles[card.site.tile];
  const node = make('section', {class: card.own ? 'card own' : 'card'});
  node.append(
      make('h2', {}, card.title), make('p', {class: 'note'}, card.words),
      make('p', {class: `big ${view.cost > view.ideal ? 'bad' : 'good'}`}, plural(view.cost, unit)), make('p', {class: 'why'}, reason(card)));
  if (!shared) {
    node.append(
        make('h3', {}, t('The sectors of this request')),
        make(
            'p', {class: 'note'},
            t('A row is 32 bytes: what moves at once. A number is the lane that wants these 4 bytes; grey bytes move for no lane.')),
        drawSectors(card));
    return node;
  }
  if (tile && tile.elements) {
    node.append(
        make('h3', {}, t('The tile as the program sees it: row y, column x')),
        make(
            'p', {class: 'note'},
            t('Colour and number are the bank. Framed is what the lanes of this request want, in pink what this wavefront serves.')),
        drawTile(card));
  }
  node.append(
      make('h3', {}, t('The 32 banks at work, one wavefront per row')),
      make(
          'p', {class: 'note'},
          t('A column is a bank. It hands out one word a wavefront: lanes in one column wait for each other.')),
      drawWavefronts(card));
  const details = make('details', {}, make('summary', {}, t('Where the lanes are in memory')), drawMemory(card));
  if (!tile || !tile.elements) details.open = true;
  node.append(details);
  return node;
}
