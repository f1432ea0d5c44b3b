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
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent('message', {data})));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
