"use strict";
// Everything here is a convenience: without it the page reads, folds, links and prints as well.
(() => {
  const root = document.documentElement;
  const main = document.querySelector("main");
  const byId = (id) => document.getElementById(id);
  for (const control of document.querySelectorAll("[data-control]")) control.hidden = false;

  // Light and dark: as the system has it, until the reader says otherwise.
  const themes = ["auto", "light", "dark"];
  const themeButton = byId("theme");
  const store = {
    get: () => { try { return localStorage.getItem("gemtrail-theme"); } catch { return null; } },
    set: (theme) => { try { localStorage.setItem("gemtrail-theme", theme); } catch { /* not kept */ } },
  };
  const setTheme = (theme) => {
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    themeButton.dataset.state = theme;
    themeButton.textContent = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" }[theme];
  };
  setTheme(themes.includes(store.get()) ? store.get() : "auto");
  themeButton.addEventListener("click", () => {
    const next = themes[(themes.indexOf(themeButton.dataset.state) + 1) % themes.length];
    store.set(next);
    setTheme(next);
  });

  // Fold and unfold everything.
  const folds = () => main.querySelectorAll("details");
  const foldButton = byId("fold");
  foldButton.hidden = folds().length === 0;
  foldButton.addEventListener("click", () => {
    const open = foldButton.getAttribute("aria-pressed") !== "true";
    for (const fold of folds()) fold.open = open;
    foldButton.setAttribute("aria-pressed", String(open));
    foldButton.textContent = open ? "Fold all" : "Unfold all";
  });
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...folds()].filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of closed) fold.open = false; });

  const reveal = (node) => {
    for (let at = node; at; at = at.parentElement) if (at.localName === "details") at.open = true;
  };
  const follow = () => {
    const target = byId(decodeURIComponent(location.hash.slice(1)));
    if (target) { reveal(target.parentElement); target.scrollIntoView(); }
  };
  addEventListener("hashchange", follow);
  if (location.hash) follow();

  // The title stands in the bar once it has left the page.
  const bar = document.querySelector(".bar");
  new IntersectionObserver(([entry]) => bar.classList.toggle("top", entry.isIntersecting))
    .observe(document.querySelector("h1"));

  // The list of prompts shows where the reader is.
  const links = new Map();
  for (const link of document.querySelectorAll(".turns a")) links.set(link.hash.slice(1), link);
  const list = document.querySelector(".turns details");
  const wide = matchMedia("(min-width: 62rem)");
  if (list && !wide.matches) list.open = false;
  const prompts = [...links.keys()].map(byId).filter(Boolean);
  let current = null;
  const mark = () => {
    const above = prompts.filter((prompt) => prompt.getBoundingClientRect().top < innerHeight / 3);
    const link = links.get(above.at(-1)?.id);
    if (link === current) return;
    current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "true");
    current = link;
  };
  let marking = 0;
  addEventListener("scroll", () => { marking ||= requestAnimationFrame(() => { marking = 0; mark(); }); },
    { passive: true });
  mark();

  // Search. Matches may run across the coloured pieces of a line, but not across blocks.
  const LIMIT = 2000;
  const box = byId("search");
  const count = byId("found");
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
  const find = (words) => {
    const found = [];
    for (const nodes of chunks()) {
      const text = nodes.map((node) => node.data).join("").toLowerCase();
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
        const from = place(nodes, at);
        const to = place(nodes, at + words.length);
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
  const go = (index) => {
    if (!hits.length) return;
    here = (index + hits.length) % hits.length;
    const range = hits[here];
    reveal(range.startContainer.parentElement);
    if (paint) CSS.highlights.set("here", new Highlight(range));
    range.startContainer.parentElement.scrollIntoView({ block: "center" });
    count.textContent = `${here + 1} of ${hits.length}${hits.length === LIMIT ? "+" : ""}`;
  };
  const search = () => {
    const words = box.value.trim().toLowerCase();
    hits = words ? find(words) : [];
    here = -1;
    if (paint) { CSS.highlights.clear(); CSS.highlights.set("found", new Highlight(...hits)); }
    count.textContent = words ? (hits.length ? `${hits.length}${hits.length === LIMIT ? "+" : ""} found` : "none") : "";
  };
  let timer = 0;
  box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 150); });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); if (!hits.length) search(); go(here + (event.shiftKey ? -1 : 1)); }
    if (event.key === "Escape") { box.value = ""; search(); box.blur(); }
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && event.target === document.body) {
      event.preventDefault();
      box.focus();
    }
  });
})();
