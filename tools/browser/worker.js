// The lab itself, in a thread of its own: one program run per message, so that the page never waits and can end it.
//
// Enters: {program, files} once, both packed with gzip; then {id, words, files, wants}: a command line, files of yours by their place in
// the clone, files that the command may leave. Leaves: {ready, files} and {id, status, out, err, files, ms}.
'use strict';
let program, files;
// The memory of the last run serves the next: fresh pages, growth and their collection took a quarter of a verdict.
let memory, staticBytes = 0;

async function unpacked(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

async function prepare(packed) {
  const [code, texts] = await Promise.all([unpacked(packed.program), unpacked(packed.files)]);
  files = JSON.parse(new TextDecoder().decode(texts));
  program = await WebAssembly.compile(code);
}

// What a command may read: headers, the lessons and kernels of chapters, kernels that it names, and what is yours.
function lay(lab, words, own) {
  const put = (place, text) => {
    const path = `/lab/${place}`;
    lab.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    lab.FS.writeFile(path, text);
  };
  for (const [place, text] of Object.entries(files))
    if (place.startsWith('common/') || words.includes(place) || (/^(chapters|solutions)\//.test(place) && !place.endsWith('.svg'))) put(place, text);
  for (const [place, text] of Object.entries(own)) put(place, text);
  lab.FS.chdir('/lab');
}

async function run({words, files: own, wants}) {
  const out = [], err = [], left = {};
  const began = performance.now();
  let status = 3;
  try {
    if (memory) new Uint8Array(memory.buffer, 0, staticBytes).fill(0);  // what lies beyond is cleared by who asks for it
    const lab = await createLab({
      ...(memory && {wasmMemory: memory}),
      instantiateWasm(imports, done) {
        memory = imports.env.memory;
        WebAssembly.instantiate(program, imports).then((instance) => {
          staticBytes = instance.exports.__heap_base.value;
          done(instance);
        });
        return {};
      },
      preRun: [(module) => Object.assign(module.ENV, {LAB_ROOT: '/lab', HOME: '/lab', LAB_CACHE_DIR: '/lab/.cache', TERM: 'dumb'})],
      print: (line) => out.push(line + '\n'),
      printErr: (line) => err.push(line + '\n'),
      quit: (code, how) => { throw how; },
    });
    lay(lab, words, own);
    status = lab.callMain(words);
    for (const place of wants)
      if (lab.FS.analyzePath(`/lab/${place}`).exists) left[place] = lab.FS.readFile(`/lab/${place}`, {encoding: 'utf8'});
  } catch (error) {
    err.push(`${error}\n`);
  }
  return {status, out: out.join(''), err: err.join(''), files: left, ms: performance.now() - began};
}

// Messages wait for those before them.
let turn = Promise.resolve();
self.onmessage = ({data}) => {
  turn = turn.then(async () => {
    if (data.program) {
      await prepare(data);
      self.postMessage({ready: true, files});
    } else {
      self.postMessage({id: data.id, ...await run(data)});
    }
  }).catch((error) => self.postMessage({id: data.id, failed: String(error)}));
};
