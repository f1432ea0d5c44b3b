'use strict';
// Draws what `lab show` computed. State: a site (source line and kind of access), a request of it, a step (a
// wavefront or a sector), and what stands on the left to compare with. Nothing is counted here.
const data = JSON.parse(document.getElementById('data').textContent);
const main = data.kernels[0];
const byId = (id) => document.getElementById(id);
const clamp = (n, most) => Math.max(0, Math.min(n, most));
const state = {
  site: 0,
  request: 0,
  step: 0,
  compare: '',
  timer: 0
};

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function shape(tag, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const site = () => main.sites[state.site];
const isShared = (s) => s.op.startsWith('shared');
// The sentence in the language of the page, {} filled in.
function t(english, ...values) {
  let next = 0;
  return (data.texts[english] || english).replace(/\{(\d*)\}/g, (_, i) => values[i === '' ? next++ : Number(i)]);
}
// No blank between Chinese sentences.
const sentences = (...list) => list.join(data.lang === 'en' ? ' ' : '');
const plural = (n, unit) => ({
                             wavefronts: () => n === 1 ? t('1 wavefront') : t('{} wavefronts', n),
                             sectors: () => n === 1 ? t('1 sector') : t('{} sectors', n),
                             banks: () => n === 1 ? t('1 bank') : t('{} banks', n),
                           }[unit]());
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ' ');
const average = (cost, requests) => String(Math.round(100 * cost / requests) / 100);

// What can stand on the left: other layouts of the same tile, the same kind of access of the other kernel.
function choices() {
  const list = [];
  const tile = main.tiles[site().tile];
  if (tile)
    tile.layouts.forEach((l, i) => {
      if (i > 0) list.push({value: `layout ${i}`, text: l.name});
    });
  if (data.kernels[1]) {
    data.kernels[1].sites.forEach((s, i) => {
      if (s.op === site().op) list.push({value: `kernel ${i}`, text: `${data.kernels[1].name}:${s.line}`});
    });
  }
  return list;
}

// The one that differs most from what runs; another kernel, when one was given, comes first.
function bestChoice() {
  const cost = site().recorded[state.request].views[0].cost;
  let best = '', gap = -1;
  for (const choice of choices()) {
    const [kind, index] = choice.value.split(' ');
    const other = kind === 'kernel' ? data.kernels[1].sites[index].recorded[0].views[0].cost + 1000 :
                                      site().recorded[state.request].views[index].cost;
    if (Math.abs(other - cost) > gap) {
      gap = Math.abs(other - cost);
      best = choice.value;
    }
  }
  return best;
}

// The cards to draw: { title, words, kernel, site, request, layout }.
function cards() {
  const s = site(), tile = main.tiles[s.tile];
  const own = {
    title: t('As this kernel does it'),
    words: main.name,
    kernel: main,
    site: s,
    request: state.request,
    layout: 0,
    own: true
  };
  const [kind, index] = state.compare.split(' ');
  if (kind === 'layout' && tile && tile.layouts[index]) {
    const layout = tile.layouts[index];
    return [{...own, title: layout.name, words: t('What if? {}', layout.words), layout: Number(index), own: false}, own];
  }
  if (kind === 'kernel') {
    const other = data.kernels[1], there = other.sites[index];
    return [
      {
        title: t('Before'),
        words: `${other.name}:${there.line}`,
        kernel: other,
        site: there,
        request: clamp(state.request, there.recorded.length - 1),
        layout: 0
      },
      own
    ];
  }
  return [own];
}

const viewOf = (card) => card.site.recorded[card.request].views[card.layout];
const widthOf = (card) => card.site.recorded[card.request].width;
const steps = () => Math.max(1, ...cards().map((card) => viewOf(card).cost));

// ---- words ----
function verdict() {
  const list = cards(), own = list[list.length - 1], cost = viewOf(own).cost, ideal = viewOf(own).ideal;
  const lanes = viewOf(own).address.filter((a) => a >= 0).length;
  const load = site().op.endsWith('load'), line = site().line;
  const who = isShared(site()) ?
      load ? t('On line {}, {} lanes of a warp read from the tile in shared memory.', line, lanes) :
             t('On line {}, {} lanes of a warp write to the tile in shared memory.', line, lanes) :
      load ? t('On line {}, {} lanes of a warp read global memory.', line, lanes) :
             t('On line {}, {} lanes of a warp write global memory.', line, lanes);
  const how = isShared(site()) ? t('It has 32 banks, and a bank hands out one word at a time.') :
                                 t('It moves in sectors of 32 bytes.');
  const price = plural(cost, site().unit);
  const here = cost > ideal ? t('Here that takes {}; {} would do.', price, ideal) :
                              t('Here that takes {}, and no fewer are possible.', price);
  if (list.length === 1) return sentences(who, how, here);
  const there = viewOf(list[0]).cost;
  const tile = main.tiles[site().tile];
  const plain = tile && tile.undone && widthOf(own) <= 4;  // wide accesses permute larger pieces
  const xor = plain ? [t('Your kernel keeps element x of row y in column x ^ y of that row.')] : [];
  const moved = (card) => viewOf(card).address.filter((a) => a >= 0).length * widthOf(card);
  const left = moved(list[0]) !== moved(own) ?
      t('“{}” takes {} for {} bytes; here {} bytes move.', list[0].title, there, moved(list[0]), moved(own)) :
      there === cost ? t('“{}” takes as many.', list[0].title) :
                                t('“{}” takes {}: step with → and watch.', list[0].title, there);
  return sentences(who, how, ...xor, here, left);
}

function whatIf() {
  const section = byId('what-if'), tile = main.tiles[site().tile];
  section.replaceChildren();
  if (!tile) return;
  section.append(make('h2', {id: 'what-if-title'}, t('What if?')));
  if (tile.layouts.length < 2) {
    section.append(make('p', {class: 'note'}, t('Not computed: {}.', tile.how)));
    return;
  }
  section.append(make(
      'p', {class: 'note'}, t('Wavefronts per request, computed from the addresses of block {} ({}).', main.block, tile.how)));
  const sites = main.sites.filter((s) => s.tile === site().tile);
  const table = make(
      'table', {},
      make(
          'tr', {}, make('th', {}, t('layout')),
          ...sites.map((s) => make('th', {class: 'n'}, t('{}, line {}', s.words, s.line))),
          make('th', {class: 'n'}, t('bytes')), make('th')));
  tile.layouts.forEach((layout, i) => {
    table.append(make(
        'tr', {}, make('td', {}, layout.name),
        ...sites.map(
            (s) => make(
                'td', {class: 'n'},
                average(s.recorded.reduce((n, r) => n + r.views[i].cost, 0), s.recorded.length))),
        make('td', {class: 'n'}, grouped(layout.bytes)), make('td', {}, layout.words)));
  });
  section.append(table);
}

// ---- source ----
function select(index) {
  state.site = index;
  state.request = 0;
  state.compare = bestChoice();
  state.step = 0;
  render();
}

function sourceTable() {
  const table = make('table', {});
  for (const [file, lines] of Object.entries(main.sources)) {
    if (Object.keys(main.sources).length > 1)
      table.append(make('tr', {}, make('td'), make('td', {}, file)));
    lines.forEach((text, i) => {
      const here = main.sites.map((s, k) => [s, k]).filter(([s]) => s.file === file && s.line === i + 1);
      table.append(make(
          'tr', here.length === 0 ? {} : {class: 'marked'}, make('td', {class: 'n'}, String(i + 1)),
          make('td', {}, text)));
      // Below its line: beside it a long line would push the counters out of sight.
      here.forEach(([s, k]) => {
        const row = make(
            'tr', {class: 'site', tabindex: '0', 'data-site': k, role: 'button'}, make('td', {class: 'n'}, '↳'),
            make(
                'td', {class: `cost ${s.cost > s.ideal ? 'bad' : 'good'}`},
                s.unit === 'sectors' ? t('{}: {} sectors, ideal {}', s.words, grouped(s.cost), grouped(s.ideal)) :
                                       t('{}: {} wavefronts, ideal {}', s.words, grouped(s.cost), grouped(s.ideal))));
        row.addEventListener('click', () => {
          select(k);
          scrollTo({top: 0});
        });
        row.addEventListener('keydown', (e) => {
          if (e.key === 'Enter') {
            select(k);
            scrollTo({top: 0});
          }
        });
        table.append(row);
      });
    });
  }
  return table;
}

function render() {
  const s = site(), shared = isShared(s), total = steps();
  state.step = clamp(state.step, total - 1);
  const options = choices();
  byId('compare').replaceChildren(
      make('option', {value: ''}, t('nothing')),
      ...options.map((o) => make('option', {value: o.value}, o.text)));
  byId('compare').value = state.compare;
  byId('compare-label').hidden = options.length === 0;
  byId('request').textContent =
      t('warp {}, request {} of {}', s.recorded[state.request].warp, state.request + 1, s.recorded.length);
  byId('step').textContent = shared ? t('wavefront {} of {}', state.step + 1, total) : t('sector {} of {}', state.step + 1, total);
  byId('verdict').textContent = verdict();
  byId('cards').replaceChildren(...cards().map(drawCard));
  whatIf();
  for (const row of document.querySelectorAll('#source tr.site')) {
    row.classList.toggle('chosen', Number(row.dataset.site) === state.site);
    row.setAttribute('aria-pressed', String(Number(row.dataset.site) === state.site));
  }
}

function move(step, request = 0) {
  if (request !== 0) {
    state.request = clamp(state.request + request, site().recorded.length - 1);
    state.step = 0;
  }
  state.step = clamp(state.step + step, steps() - 1);
  render();
}

function play() {
  if (state.timer) {
    clearInterval(state.timer);
    state.timer = 0;
  } else {
    if (state.step === steps() - 1) state.step = -1;
    state.timer = setInterval(() => {
      if (state.step >= steps() - 1)
        play();
      else
        move(1);
    }, 250);
  }
  byId('play').textContent = state.timer ? t('Pause') : t('Play');
}

// The words of page.html itself.
function translatePage() {
  const words = (text) => text.trim().replace(/\s+/g, ' ');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const other = data.texts[words(walker.currentNode.data)];
    if (other) walker.currentNode.data = walker.currentNode.data.replace(/\S(.|\n)*\S|\S/, other);
  }
  for (const name of ['title', 'aria-label']) {
    for (const node of document.querySelectorAll(`[${name}]`)) node.setAttribute(name, t(node.getAttribute(name)));
  }
  document.documentElement.lang = data.lang;
}

function start() {
  translatePage();
  document.title = t('{}: pictures of a run', main.name);
  byId('title').textContent = `${main.name}   ${main.problem}`;
  byId('source').append(sourceTable());
  byId('step-on').addEventListener('click', () => move(1));
  byId('step-back').addEventListener('click', () => move(-1));
  byId('request-on').addEventListener('click', () => move(0, 1));
  byId('request-back').addEventListener('click', () => move(0, -1));
  byId('play').addEventListener('click', play);
  byId('compare').addEventListener('change', (e) => {
    state.compare = e.target.value;
    state.step = 0;
    render();
  });
  document.addEventListener('keydown', (e) => {
    if (e.target.tagName === 'SELECT' || e.ctrlKey || e.metaKey || e.altKey) return;
    const act = {
      ArrowRight: () => move(1),
      ArrowLeft: () => move(-1),
      j: () => move(0, 1),
      k: () => move(0, -1)
    }[e.key];
    if (act) {
      act();
      e.preventDefault();
    }
    if (e.key === ' ' && e.target.tagName !== 'BUTTON') {
      play();
      e.preventDefault();
    }
  });
  state.site = Math.max(0, main.sites.findIndex((s) => s.line === data.start.line && s.op === data.start.op));
  state.request = clamp(data.start.request, site().recorded.length - 1);
  state.compare = bestChoice();
  render();
}
start();
