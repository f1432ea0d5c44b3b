// The lab itself, in a thread of its own: one program run per message, so that the page never waits and can end it.
//
// Enters: {program, files} once, both packed with gzip; then {id, words, kernel, wants}: a command line, the kernel whose text is wanted, a
// file that the command writes. Leaves: {ready} and {id, status, out, err, file, source, ms}.
'use strict';
let program, files;

async function unpacked(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

// The texts: a line, or how far back and how many lines to take again (lab_page.py: in_copies).
function unfolded({names, ops}) {
  const lines = [];
  for (let at = 0; at < ops.length; ++at) {
    if (typeof ops[at] === 'string') {
      lines.push(ops[at]);
    } else {
      const from = lines.length - ops[at];
      for (let k = 0, count = ops[++at]; k < count; ++k) lines.push(lines[from + k]);
    }
  }
  let start = 0;
  return Object.fromEntries(names.map(([name, count]) => [name, lines.slice(start, start += count).join('\n')]));
}

async function prepare(packed) {
  const [code, texts] = await Promise.all([unpacked(packed.program), unpacked(packed.files)]);
  const made = JSON.parse(new TextDecoder().decode(texts));
  files = unfolded(made);
  program = await WebAssembly.compile(code);
}

// What a command may read: the headers of kernels, and each kernel that it names.
function lay(lab, words) {
  const put = (place) => {
    if (!(place in files)) return;
    const path = `/lab/${place}`;
    lab.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    lab.FS.writeFile(path, files[place]);
  };
  for (const place of Object.keys(files)) if (place.startsWith('common/')) put(place);
  for (const word of words) for (const folder of ['', '.ahead/judged/', '.ahead/plain/']) put(folder + word);
  lab.FS.chdir('/lab');
}

async function run({words, kernel, wants}) {
  const out = [], err = [];
  const began = performance.now();
  let status = 3, file = null;
  try {
    const lab = await createLab({
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(program, imports).then((instance) => done(instance));
        return {};
      },
      preRun: [(module) => Object.assign(module.ENV, {LAB_ROOT: '/lab', HOME: '/lab', LAB_CACHE_DIR: '/lab/.cache', TERM: 'dumb'})],
      print: (line) => out.push(line + '\n'),
      printErr: (line) => err.push(line + '\n'),
      quit: (code, how) => { throw how; },
    });
    lay(lab, words);
    status = lab.callMain(words);
    if (wants && lab.FS.analyzePath(wants).exists) file = lab.FS.readFile(wants, {encoding: 'utf8'});
  } catch (error) {
    err.push(`${error}\n`);
  }
  return {status, out: out.join(''), err: err.join(''), file, source: files[kernel] ?? '', ms: performance.now() - began};
}

// Messages wait for those before them.
let turn = Promise.resolve();
self.onmessage = ({data}) => {
  turn = turn.then(async () => {
    if (data.program) {
      await prepare(data);
      self.postMessage({ready: true});
    } else {
      self.postMessage({id: data.id, ...await run(data)});
    }
  }).catch((error) => self.postMessage({id: data.id, failed: String(error)}));
};
