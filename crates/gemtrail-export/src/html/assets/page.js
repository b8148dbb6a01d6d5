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

  // Search.
  const box = byId("search");
  const finding = finder(main, (words) => { byId("found").textContent = words; });
  const search = () => finding.look([box.value.trim().toLowerCase()]);
  let timer = 0;
  box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 150); });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); if (!finding.size()) search(); finding.go(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { box.value = ""; search(); box.blur(); }
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && event.target === document.body) {
      event.preventDefault();
      box.focus();
    }
  });
})();
