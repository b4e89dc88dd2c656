// Gives what "try it" sends the chosen world and key, and RapiDoc what it lacks for screen readers and narrow windows.
const section = document.querySelector(".apidocs");
const viewer = section.querySelector("rapi-doc");
const { world, key } = section.querySelector("form").elements;

// identify gives the chosen key to each scheme that the document has: an Authorization header begins with the name of
// the scheme, a bearer token and other headers are the key alone.
function identify() {
  for (const scheme of viewer.resolvedSpec?.securitySchemes ?? []) {
    const named = scheme.type === "apiKey" && scheme.name.toLowerCase() === "authorization";
    viewer.setApiKey(scheme.securitySchemeId, (named ? scheme.securitySchemeId + " " : "") + key.value);
  }
}
if (key) {
  viewer.addEventListener("spec-loaded", identify);
  key.addEventListener("change", identify);
}

viewer.addEventListener("before-try", (event) => {
  const chosen = world ? world.value : viewer.dataset.world;
  if (!chosen) return;
  event.detail.request.headers.set("X-Understudy-World", chosen);
  const request = event.composedPath()[0]; // which has written its curl command already
  request.curlSyntax = request.curlSyntax.replace("\n", `\n -H 'X-Understudy-World: ${chosen}' \\\n`);
});

// adapt changes a document for RapiDoc 9.3.8, which takes the members of an example for examples, and fails where one of
// them is null, but reads those under "examples" as they are; and which takes extensions among answers for answers. It
// walks to all messages and parameters, but not into schemas.
function adapt(node, visited) {
  if (typeof node !== "object" || node === null || visited.has(node)) return;
  visited.add(node);
  if (node.schema && node.example !== undefined && !node.examples) {
    node.examples = { Example: { value: node.example } };
    delete node.example;
  }
  for (const name of Object.keys(node.responses ?? {})) {
    if (name.startsWith("x-")) delete node.responses[name];
  }
  for (const [member, value] of Object.entries(node)) {
    if (!["schema", "schemas", "example", "examples"].includes(member)) adapt(value, visited);
  }
}
viewer.addEventListener("before-render", (event) => adapt(event.detail.spec, new Set()));

// Names for what has none, by selector. They hold in each shadow root below the viewer, whenever something in it changes.
const names = [
  [".nav-bar", "Operations"], [".nav-scroll", "List of operations"], ["#nav-bar-search", "Filter operations"],
  [".nav-bar-tag-icon", "Show or hide the operations of this tag"], [".nav-bar-expand-all", "Show all operations"],
  [".nav-bar-collapse-all", "Hide all operations"], [".request-body-param-user-input", "Request body"],
  ["select", "Choice"], ["textarea, input", "Value"],
];
const roles = [
  ["[data-action=navigate]", "link"], [".nav-bar-tag-icon, .nav-bar-expand-all, .nav-bar-collapse-all", "button"],
];
const watched = new WeakSet(); // weak, since RapiDoc replaces elements
function annotate(root) {
  for (const [selector, role] of roles) {
    for (const element of root.querySelectorAll(`:is(${selector}):not([role])`)) element.setAttribute("role", role);
  }
  for (const [selector, name] of names) {
    for (const element of root.querySelectorAll(`:is(${selector}):not([aria-label])`)) {
      element.setAttribute("aria-label", element.dataset.pname || name);
    }
  }
  for (const element of root.querySelectorAll("pre, .mono-font, .json-tree, .tree, .table")) {
    if (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight) element.tabIndex = 0;
  }
  for (const element of root.querySelectorAll("*")) if (element.shadowRoot) watch(element.shadowRoot);
}
function watch(root) {
  if (watched.has(root)) return;
  watched.add(root);
  new MutationObserver(() => annotate(root)).observe(root, { childList: true, subtree: true });
  annotate(root);
}

await import("./rapidoc-min.js");
await viewer.updateComplete;
const rules = new CSSStyleSheet(); // a narrow viewer would hide the list of operations, and some targets are too small
rules.replaceSync(`
  .nav-bar-expand-all, .nav-bar-collapse-all { width: 24px; height: 24px; line-height: 24px; text-align: center }
  @container (max-width: 767px) {
    .body { flex-direction: column; overflow-y: auto }
    .nav-bar { display: flex; width: 100%; height: auto; max-height: 16rem; flex: none }
    .main-content { flex: none; height: auto; overflow: visible }
  }`);
viewer.shadowRoot.adoptedStyleSheets.push(rules);
watch(viewer.shadowRoot);
