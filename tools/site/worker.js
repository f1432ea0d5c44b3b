// The theme looks for the beginnings of words: "is" would find "issue", "no" "notebook". Words of a question that name nothing are left out.
const NAMES_NOTHING = new RegExp('^(?:a|an|and|are|can|do|does|for|how|i|in|is|it|my|no|not|of|on|or|the|there|this|to|what|when|where|which|who|' +
                                 'why|with|without|you|your)[?!.]*$', 'i');
const NAMES_NOTHING_ZH = /什么是|是什么|为什么|怎么样?|如何|没有|可以|吗|？/g;
const QUERY = 2;  // the theme's number of this message
function named(message) {
  if (message.type !== QUERY) return message;
  const words = message.data.replace(NAMES_NOTHING_ZH, ' ').split(/\s+/).filter((word) => word && !NAMES_NOTHING.test(word));
  return words.length ? {...message, data: words.join(' ')} : message;
}

// Search without a server: from file:// a browser starts no worker, so the search runs in a hidden frame that speaks as one.
if (location.protocol === 'file:') {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement('iframe');
      this.frame.hidden = true;
      this.frame.title = 'search';
      document.body.append(this.frame);
      const inside = this.frame.contentWindow, page = this.frame.contentDocument;
      const load = (source) => new Promise((done, failed) => {
        const script = page.createElement('script');
        script.src = source;
        script.onload = done;
        script.onerror = failed;
        page.body.append(script);
      });
      inside.importScripts = (...urls) => urls.reduce((before, next) => before.then(() => load(next)), Promise.resolve());
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', {data}));
      this.ready = load(url);
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent('message', {data: named(data)})));
    }
    terminate() {
      this.frame.remove();
    }
  };
} else {
  window.Worker = class extends window.Worker {
    postMessage(data) {
      super.postMessage(named(data));
    }
  };
}
