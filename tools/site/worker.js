// The theme asks a worker to search. This one answers in the page itself, with search.js: a browser starts no worker from file://.
//
// Enters: the theme's messages, by their numbers. Leaves: its answers.
const SETUP = 0, READY = 1, QUERY = 2, RESULT = 3;
window.Worker = window.IFrameWorker = class extends EventTarget {
  postMessage({type, data}) {
    if (type === SETUP) {
      this.docs = data.docs;
      this.answer(READY);
    } else if (type === QUERY) {
      this.search ??= new Search(this.docs, SEARCH_WORDS);  // at the first question: a page that is only read waits for nothing
      this.answer(RESULT, this.search.find(data));
    }
  }
  answer(type, data) {
    setTimeout(() => this.dispatchEvent(new MessageEvent('message', {data: {type, data}})));
  }
  terminate() {}
};
