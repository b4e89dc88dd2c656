"use strict";
(() => {
  const form = document.getElementById("filter");
  const findings = [...document.querySelectorAll(".finding")];
  const open = (value) => findings.forEach((f) => { if (!f.hidden) f.firstElementChild.open = value; });
  const reveal = () => {
    const target = location.hash.startsWith("#f-") && document.getElementById(location.hash.slice(1));
    if (target) { target.firstElementChild.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", reveal);
  reveal();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")].filter((d) => !d.closest(".curl"));
    closed.forEach((d) => { d.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((d) => { d.open = false; }));
  if (!form) return;
  const field = (id) => document.getElementById(id);
  const q = field("q"), kind = field("by-kind"), iface = field("by-interface"), rule = field("by-rule");
  const apply = () => {
    const words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const f of findings) {
      const d = f.dataset;
      const fits = (!kind.value || d.kind === kind.value) && (!iface.value || d.interface === iface.value) &&
        (!rule.value || d.rule === rule.value) && words.every((w) => d.search.includes(w));
      f.hidden = !fits;
      if (fits) shown++;
    }
    field("shown").textContent = shown === findings.length ? "" : `${shown} of ${findings.length} shown`;
    field("no-match").hidden = shown > 0;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  field("open-all").addEventListener("click", () => open(true));
  field("close-all").addEventListener("click", () => open(false));
  addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { e.preventDefault(); q.focus(); }
    if (e.key === "Escape" && document.activeElement === q) { q.value = ""; apply(); }
  });
  apply();
})();
