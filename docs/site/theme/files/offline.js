// SPDX-License-Identifier: LGPL-2.1-or-later
// Search in pages that are opened as files, where a browser neither fetches the
// index nor starts a worker: the index is a script, and the worker's script
// runs in a frame.
if (location.protocol === 'file:') {
  const site = new URL(JSON.parse(
    document.getElementById('__config').textContent).base, location);

  window.__search = {
    index: new Promise(resolve => {
      const script = document.createElement('script');
      script.src = new URL('search/search_index.js', `${site}/`);
      script.onload = () => resolve(window.__index);
      document.head.appendChild(script);
    }),
  };

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement('iframe');
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      inside.postMessage = data =>
        this.dispatchEvent(new MessageEvent('message', {data}));
      this.inside = new Promise(resolve => {
        const script = inside.document.createElement('script');
        script.src = url;
        script.onload = () => resolve(inside);
        inside.document.body.appendChild(script);
      });
    }

    postMessage(data) {
      this.inside.then(inside => inside.dispatchEvent(
        new inside.MessageEvent('message', {data})));
    }
  };
}
