"use strict";
// Finds words in a part of a page, marks them, and goes from one to the next. Matches may run across the coloured pieces of
// a line, but not across blocks. `tell` takes what to say: how many there are, and which of them is the current one.
const finder = (main, tell) => {
  const LIMIT = 2000;
  const paint = globalThis.Highlight && CSS.highlights;
  const blocks = "p,pre,li,td,th,h1,h3,h4,h5,h6,dd,dt,summary,blockquote,.lines > div,.text,.typed";
  let hits = [];
  let here = -1;

  const chunks = function* () {
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    let block = null;
    let nodes = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const around = node.parentElement.closest(blocks) ?? main;
      if (around !== block && nodes.length) { yield nodes; nodes = []; }
      block = around;
      nodes.push(node);
    }
    if (nodes.length) yield nodes;
  };
  const place = (nodes, offset) => {
    for (const node of nodes) {
      if (offset <= node.data.length) return [node, offset];
      offset -= node.data.length;
    }
    return null;
  };
  // A word begins after what is none, or with its own capital letter: `Coupon` in `applyCoupon`.
  const begins = (text, at) => at === 0 || text.charCodeAt(at) > 127 || !/[\p{L}\p{N}]/u.test(text[at - 1])
    || (/\p{Lu}/u.test(text[at]) && !/\p{Lu}/u.test(text[at - 1]));
  const find = (words, starts) => {
    const found = [];
    for (const nodes of chunks()) {
      const text = nodes.map((node) => node.data).join("");
      const lower = text.toLowerCase();
      for (let at = 0; ;) {
        let first = -1;
        let length = 0;
        for (const word of words) {
          const next = lower.indexOf(word, at);
          if (next >= 0 && (first < 0 || next < first || (next === first && word.length > length))) { first = next; length = word.length; }
        }
        if (first < 0) break;
        at = first + 1;
        if (starts && !begins(text, first)) continue;
        at = first + length;
        const [from, to] = [place(nodes, first), place(nodes, at)];
        if (!from || !to) break;
        const range = new Range();
        range.setStart(...from);
        range.setEnd(...to);
        found.push(range);
        if (found.length === LIMIT) return found;
      }
    }
    return found;
  };
  const more = () => (hits.length === LIMIT ? "+" : "");
  const total = () => (hits.length ? `${hits.length}${more()} found` : "none");
  const paintAll = () => {
    if (!paint) return;
    CSS.highlights.clear();
    CSS.highlights.set("found", new Highlight(...hits));
  };
  const show = () => {
    const range = hits[here];
    for (let at = range.startContainer.parentElement; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    if (paint) CSS.highlights.set("here", new Highlight(range));
    range.startContainer.parentElement.scrollIntoView({ block: "center" });
    tell(`${here + 1} of ${hits.length}${more()}`);
  };
  return {
    // Looks for any of these words, in lower case; `starts`: only where a word begins.
    look: (words, starts = false) => {
      const wanted = words.filter(Boolean);
      hits = wanted.length ? find(wanted, starts) : [];
      here = -1;
      paintAll();
      tell(wanted.length ? total() : "");
      return hits.length;
    },
    // The same again, after something was added to the page.
    lookAgain: (words, starts = false) => {
      const before = hits[here];
      hits = find(words.filter(Boolean), starts);
      here = before ? hits.findIndex((range) => range.compareBoundaryPoints(Range.START_TO_START, before) >= 0) : -1;
      paintAll();
      if (here < 0) { tell(total()); return; }
      if (paint) CSS.highlights.set("here", new Highlight(hits[here]));
      tell(`${here + 1} of ${hits.length}${more()}`);
    },
    // To the next or previous one; the first time to the first one that is not before an element.
    go: (by, from = null) => {
      if (!hits.length) return;
      const isAfter = ({ startContainer }) => from.compareDocumentPosition(startContainer) & Node.DOCUMENT_POSITION_FOLLOWING;
      const first = here < 0 && from ? Math.max(hits.findIndex(isAfter), 0) : here + by;
      here = (first + hits.length) % hits.length;
      show();
    },
    size: () => hits.length,
  };
};
