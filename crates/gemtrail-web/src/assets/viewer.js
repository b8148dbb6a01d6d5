// Everything here is a convenience: pages read, link, filter and search without it as well. It runs
// before the page is there, so what concerns elements is left to events.
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // Light and dark: as the system has it, until the reader says otherwise.
  const themes = ["auto", "light", "dark"];
  const stored = () => { try { return localStorage.getItem("gemtrail-theme"); } catch { return null; } };
  let theme = themes.includes(stored()) ? stored() : "auto";
  const showTheme = () => {
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    for (const button of all("[data-control=theme]")) {
      button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme];
      button.setAttribute("aria-label", `Theme: ${theme}`);
    }
  };
  const nextTheme = () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem("gemtrail-theme", theme); } catch { /* not kept */ }
    showTheme();
  };
  showTheme();

  // Parts of a page: parsed without running anything.
  const fragment = async (address, options) => {
    const url = new URL(address, location.href);
    url.searchParams.set("fragment", "1");
    const answer = await fetch(url, { cache: "no-store", credentials: "same-origin", ...options });
    const tag = answer.headers.get("etag");
    if (answer.status === 304) return { tag, nodes: null };
    if (!answer.ok) throw new Error(answer.status);
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    return { tag, nodes: [...parsed.body.childNodes].map((node) => document.adoptNode(node)) };
  };

  // Long parts are fetched when they are unfolded for the first time.
  const load = async (details) => {
    const source = details.dataset.src;
    const inside = details.querySelector(":scope > .inside");
    if (!source || !inside) return;
    delete details.dataset.src;
    inside.setAttribute("aria-busy", "true");
    try {
      const { nodes } = await fragment(source);
      // A message that is on the page already must not be there twice.
      for (const node of nodes) if (node.id && document.getElementById(node.id)) node.removeAttribute("id");
      inside.replaceChildren(...nodes);
      polish(inside);
    } catch {
      details.dataset.src = source;
    }
    inside.removeAttribute("aria-busy");
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.localName === "details" && event.target.open) { load(event.target); polish(event.target); }
  }, true);

  // What scrolls can be scrolled by key, and code can be copied.
  const polish = (within) => {
    for (const block of all(".said pre, pre.plain, .said table, .args dd", within)) {
      if (block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight + 1) block.tabIndex = 0;
    }
  };
  document.addEventListener("pointerover", (event) => {
    const block = event.target.closest?.(".said pre, pre.output, pre.terminal, .diff");
    if (!block || block.parentElement.classList.contains("has-copy")) return;
    const holder = make("div", { className: "has-copy" });
    block.replaceWith(holder);
    const button = make("button", { className: "copy", type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.innerText);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    holder.append(block, button);
  });

  // A link to something folded unfolds it. What is on another page of a long session is shown by itself.
  const follow = () => {
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { /* no such place */ }
    if (!target) {
      const { messages } = document.querySelector("[data-messages]")?.dataset ?? {};
      const [, anchor] = /^#(m[-\d][-\w]*?)(?:-call-\d+)?$/.exec(location.hash) ?? [];
      if (messages && anchor) location.replace(`${messages}/${anchor}`);
      return;
    }
    for (let at = target; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    target.scrollIntoView();
    target.querySelector("a, summary")?.focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);

  // Lists that change while one types.
  const live = (form) => {
    const list = document.getElementById(form.dataset.live);
    let timer = 0;
    let asked = 0;
    let asking = null;
    const update = async () => {
      const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
      const address = `${form.getAttribute("action")}?${query}`;
      const number = ++asked;
      // Who types on does not wait for what was typed before.
      asking?.abort();
      asking = new AbortController();
      list.setAttribute("aria-busy", "true");
      try {
        const { nodes } = await fragment(address, { signal: asking.signal });
        if (number !== asked) return;
        history.replaceState(null, "", query.size ? address : form.getAttribute("action"));
        // In the middle of a word what was found before stays.
        if (form.dataset.live === "found" && query.get("q") && !nodes.some((node) => node.querySelector?.(".hits"))) {
          await new Promise((done) => setTimeout(done, 900));
          if (number !== asked) return;
        }
        list.replaceChildren(...nodes);
        list.removeAttribute("aria-busy");
      } catch { if (number === asked) form.submit(); }
    };
    const soon = (event) => {
      // A box that only shows more fields asks for nothing.
      if ("fold" in event.target.dataset) return;
      clearTimeout(timer);
      timer = setTimeout(update, 15);
    };
    form.addEventListener("input", soon);
    // The cross in a field, and Escape.
    form.addEventListener("search", soon);
  };

  // Finding in a session: as on exported pages, and the words of a search that led here.
  const finding = (messages) => {
    let words = [];
    let starts = false;
    let isComplete = false;
    const count = make("output");
    const find = finder(messages, (text) => { count.textContent = text; });
    const field = make("input", { type: "search", placeholder: "Find in this session", autocomplete: "off", spellcheck: false });
    field.setAttribute("aria-label", "Find in this session");
    const button = (textContent, label, act) => {
      const it = make("button", { type: "button", textContent, title: label });
      it.setAttribute("aria-label", label);
      it.addEventListener("click", act);
      return it;
    };
    // Long parts are not on the page yet.
    const complete = async () => {
      if (isComplete) return;
      isComplete = true;
      const parts = all("details[data-src]", messages).slice(0, 400);
      const work = async () => { while (parts.length) await load(parts.shift()); };
      if (!parts.length) return;
      await Promise.all([work(), work(), work()]);
      if (words.length) find.lookAgain(words, starts);
    };
    const go = (by, from) => { find.go(by, from); complete(); };
    const close = () => { panel.hidden = true; words = []; field.value = ""; find.look([]); };
    const panel = make("div", { className: "finder", hidden: true }, field, count,
      button("‹", "Previous (N)", () => go(-1)), button("›", "Next (n)", () => go(1)), button("×", "Close (Esc)", close));
    panel.setAttribute("role", "search");
    document.body.append(panel);
    const look = () => { [words, starts] = [[field.value.trim().toLowerCase()], false]; find.look(words); complete(); };
    let timer = 0;
    field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, 150); });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); if (!find.size()) look(); go(event.shiftKey ? -1 : 1); }
      if (event.key === "Escape") { event.preventDefault(); close(); field.blur(); }
    });
    return {
      open: () => { panel.hidden = false; field.focus(); field.select(); },
      close: () => { const wasOpen = !panel.hidden; close(); return wasOpen; },
      go: (by) => { if (!panel.hidden) go(by); },
      // The words that led here, from where the link points to.
      arrive: async (text) => {
        [words, starts] = [text.toLowerCase().split(/\s+/), true];
        field.value = text;
        panel.hidden = false;
        let target = null;
        try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { /* no such place */ }
        for (const part of target ? [target, ...all("details[data-src]", target)] : []) if (part.dataset.src) await load(part);
        find.look(words, starts);
        find.go(1, target);
      },
    };
  };

  // A session that goes on.
  const PAUSE = 2000;
  const following = (place) => {
    let waiting = 0;
    const messages = document.getElementById("messages");
    const button = make("button", { type: "button", hidden: true });
    place.append(button);
    const toEnd = (times) => {
      scrollTo({ top: document.body.scrollHeight });
      // What comes into sight takes its real size only then.
      if (times) requestAnimationFrame(() => toEnd(times - 1));
    };
    const jump = () => { waiting = 0; button.hidden = true; toEnd(4); };
    const reload = () => location.reload();
    const isAtEnd = () => innerHeight + scrollY >= document.body.scrollHeight - 120;
    const take = (news) => {
      const end = isAtEnd();
      let added = 0;
      for (const fresh of [...news.children]) {
        const old = fresh.id && document.getElementById(fresh.id);
        if (old) { if (old.textContent.length < fresh.textContent.length) old.replaceWith(fresh); continue; }
        messages.append(fresh);
        added += 1;
      }
      place.dataset.count = news.dataset.count;
      place.dataset.mark = news.dataset.mark;
      if (!added) return;
      if (end) { jump(); return; }
      waiting += added;
      button.textContent = `${waiting} new message${waiting === 1 ? "" : "s"} ↓`;
      button.onclick = jump;
      button.hidden = false;
    };
    const look = async () => {
      if (document.visibilityState !== "visible") return;
      const { count, mark, src, tag } = place.dataset;
      try {
        const address = new URL(src, location.href);
        address.searchParams.set("count", count);
        address.searchParams.set("mark", mark);
        const answer = await fragment(address, { headers: { "If-None-Match": tag } });
        if (answer.tag) place.dataset.tag = answer.tag;
        const news = answer.nodes?.find((node) => node.dataset);
        if (!news) return;
        if ("reload" in news.dataset) {
          button.textContent = "This session was rewritten: load it again";
          button.onclick = reload;
          button.hidden = false;
        } else take(news);
      } catch { /* the server may be back later */ }
    };
    const loop = async () => { await look(); setTimeout(loop, PAUSE); };
    loop();
    addEventListener("visibilitychange", look);
  };

  // To any session, project, file or page by a few letters.
  const jump = () => {
    let dialog = document.querySelector("dialog.jump");
    if (!dialog) {
      const field = make("input", { type: "search", placeholder: "Session, project, file or page", autocomplete: "off", spellcheck: false });
      field.setAttribute("aria-label", "Session, project, file or page");
      const list = make("div");
      list.setAttribute("aria-live", "polite");
      dialog = make("dialog", { className: "jump" }, field, list);
      dialog.setAttribute("aria-label", "Go to");
      let asked = 0;
      const ask = async () => {
        const number = ++asked;
        const { nodes } = await fragment(`/jump?q=${encodeURIComponent(field.value)}`);
        if (number !== asked) return;
        list.replaceChildren(...nodes);
        list.querySelector("a")?.classList.add("chosen");
      };
      const ways = () => all("a", list);
      field.addEventListener("input", () => ask().catch(() => {}));
      dialog.addEventListener("keydown", (event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? (event.ctrlKey ? { n: 1, j: 1, p: -1, k: -1 }[event.key] : undefined);
        const links = ways();
        const at = links.findIndex((link) => link.classList.contains("chosen"));
        if (event.key === "Enter" && document.activeElement === field) { event.preventDefault(); links[at]?.click(); }
        if (!by || !links.length) return;
        event.preventDefault();
        event.stopPropagation();
        links[at]?.classList.remove("chosen");
        const next = links[(at + by + links.length) % links.length];
        next.classList.add("chosen");
        next.scrollIntoView({ block: "nearest" });
      });
      dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
      document.body.append(dialog);
      ask().catch(() => {});
    }
    if (dialog.open) dialog.close(); else { dialog.showModal(); dialog.querySelector("input").select(); }
  };

  // Keys.
  const KEYS = [
    ["/", "search everything"], ["Ctrl+K", "go to a session, project, file or page"], ["f", "filter this list, find in this session"], ["n N", "next and previous match"], ["j k", "next and previous session, match or prompt"],
    ["Enter", "open"], ["e", "expand or collapse everything"], ["G", "to the end"], ["o s p d", "overview, sessions, projects, doctor"],
    ["t", "light or dark"], ["?", "this list"],
  ];
  const help = () => {
    let dialog = document.querySelector("dialog.keys");
    if (!dialog) {
      const list = make("dl");
      for (const [keys, words] of KEYS) {
        list.append(make("dt", {}, ...keys.split(" ").map((key) => make("kbd", { textContent: key }))), make("dd", { textContent: words }));
      }
      const close = make("button", { type: "button", textContent: "Close" });
      dialog = make("dialog", { className: "keys" }, make("h2", { textContent: "Keys", id: "keys" }), list, close);
      dialog.setAttribute("aria-labelledby", "keys");
      close.addEventListener("click", () => dialog.close());
      document.body.append(dialog);
    }
    if (dialog.open) dialog.close(); else dialog.showModal();
  };
  let found = null;
  let row = -1;
  const step = (by) => {
    const prompts = all(".message.human.opens");
    if (prompts.length) {
      const tops = prompts.map((prompt) => prompt.getBoundingClientRect().top);
      const next = by > 0 ? tops.findIndex((top) => top > 90) : tops.findLastIndex((top) => top < 40);
      prompts[next]?.scrollIntoView();
      return;
    }
    const links = all(".sessions th.what a, .hit .at");
    if (!links.length) return;
    row = Math.min(Math.max(row + by, 0), links.length - 1);
    for (const marked of all("tr[aria-selected]")) marked.removeAttribute("aria-selected");
    links[row].closest(".rest")?.setAttribute("open", "");
    links[row].focus();
    links[row].closest("tr")?.setAttribute("aria-selected", "true");
  };
  const unfold = () => {
    const folds = all("main .call, main .fold, main .branch, main .agentwork");
    const open = !folds.some((fold) => fold.open);
    for (const fold of folds) fold.open = open;
    for (const button of all("[data-control=unfold]")) button.textContent = open ? "Collapse all" : "Expand all";
  };
  const go = (address) => () => { location.href = address; };
  const actions = {
    "/": () => (document.querySelector("form.query input") ?? document.querySelector(".find input"))?.focus(),
    f: () => { if (found) found.open(); else document.querySelector("[data-key=f]")?.focus(); },
    n: () => found?.go(1), N: () => found?.go(-1),
    j: () => step(1), k: () => step(-1), e: unfold, G: () => scrollTo({ top: document.body.scrollHeight }), t: nextTheme,
    "?": help, o: go("/"), s: go("/sessions"), p: go("/projects"), d: go("/doctor"),
  };
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select, textarea");
    if (event.key === "Escape" && isTyping) { if (!event.target.closest("dialog")) event.target.blur(); return; }
    if (event.key === "Escape" && found?.close()) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "k") { event.preventDefault(); jump(); return; }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  });

  // The list of prompts shows where the reader is.
  const marking = (links) => {
    const byAnchor = new Map(links.map((link) => [link.hash.slice(1), link]));
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const marked of all(".turns a[aria-current], .strip a[aria-current]")) marked.removeAttribute("aria-current");
        for (const link of all(`a[href="#${CSS.escape(entry.target.id)}"]`)) if (link.closest(".turns, .strip")) link.setAttribute("aria-current", "true");
      }
    }, { rootMargin: "0px 0px -60% 0px" });
    for (const anchor of byAnchor.keys()) {
      const message = document.getElementById(anchor);
      if (message) seen.observe(message);
    }
  };

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("main .call, main .thoughts").filter((fold) => !fold.open && !fold.dataset.src);
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of closed) fold.open = false; });

  addEventListener("DOMContentLoaded", () => {
    showTheme();
    for (const control of all("[data-control]")) control.hidden = false;
    document.querySelector("[data-control=theme]")?.addEventListener("click", nextTheme);
    for (const button of all("[data-copy]")) {
      button.hidden = false;
      const words = button.textContent;
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(button.dataset.copy);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = words; }, 1500);
      });
    }
    document.querySelector("[data-control=jump]")?.addEventListener("click", jump);
    document.querySelector("[data-control=unfold]")?.addEventListener("click", unfold);
    document.querySelector("[data-control=help]")?.addEventListener("click", help);
    for (const form of all("form[data-live]")) live(form);
    for (const end of all("[data-end]")) end.scrollLeft = end.scrollWidth;
    const turns = document.querySelector(".turns details");
    if (turns && !matchMedia("(min-width: 62rem)").matches) turns.open = false;
    const prompts = all(".turns a");
    if (prompts.length < 1000) marking(prompts);
    const place = document.getElementById("live");
    if (place) following(place);
    if (all(".message").length < 2000) polish(document);
    if (location.hash) follow();
    const messages = document.getElementById("messages");
    if (!messages) return;
    found = finding(messages);
    document.querySelector("[data-control=find]")?.addEventListener("click", found.open);
    const words = new URLSearchParams(location.search).get("find");
    if (words?.trim()) found.arrive(words.trim());
  });
})();
