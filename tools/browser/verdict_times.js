// The page's thread (lab.js and worker.js) under Node: what it answers to one kernel, and when.
//
// Enters, as JSON on standard input: {lab, worker, program, files, words, own, warm, rounds}; program and files as the page packs them, warm a
// list of command lines that are run before. Leaves, as JSON: {ready, warmed, first, later} in seconds, each {wall, cpu}, the second and the
// last a list of them, and {status, out, err} of the last command.
// cpu is that of all threads, so what one idle core would take.
'use strict';
const input = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const bytes = (text) => Uint8Array.from(Buffer.from(text, 'base64'));
globalThis.require = require;
globalThis.__filename = __filename;
globalThis.__dirname = __dirname;

let answer;
globalThis.self = {postMessage: (data) => answer(data)};
require('vm').runInThisContext(input.lab + '\n' + input.worker, {filename: 'worker.js'});

async function timed(data) {
  const cpu = process.cpuUsage(), began = performance.now();
  const reply = await new Promise((done) => {
    answer = done;
    self.onmessage({data});
  });
  const wall = (performance.now() - began) / 1000, used = process.cpuUsage(cpu);
  if (reply.failed) throw new Error(reply.failed);
  return {reply, took: {wall, cpu: (used.user + used.system) / 1e6}};
}

(async () => {
  const result = {later: []};
  result.ready = (await timed({program: bytes(input.program), files: bytes(input.files)})).took;
  result.warmed = [];
  for (const words of input.warm) result.warmed.push((await timed({id: 0, words, files: {}, wants: []})).took);
  for (let i = 0; i <= input.rounds; ++i) {
    const {reply, took} = await timed({id: i, words: input.words, files: input.own, wants: []});
    if (i === 0) result.first = took; else result.later.push(took);
    Object.assign(result, {status: reply.status, out: reply.out, err: reply.err});
  }
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
})();
