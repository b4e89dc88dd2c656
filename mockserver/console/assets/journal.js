// The journal while it grows: a table of which only the rows in sight exist, newest first, and one exchange beside it.

const live = document.getElementById("live")
const still = document.getElementById("still")
const rowHeight = 34
const page = 100 // rows that are asked for at once

const state = {
  matching: 0, // rows in all
  dropped: 0,
  pages: new Map(), // by number, oldest first: rows never move as long as none is dropped
  asked: new Set(),
  query: new URLSearchParams(live.dataset.query),
  selected: Number(location.hash.slice(1)) || 0,
  verdicts: new Map(),
}

const header = element("div", "row head")
header.setAttribute("role", "row")
const columns = [["seq", "#"], ["time", "Received"], ["world-time", "World’s clock"], ["request", "Request"], ["status-cell", "Status"], ["took", "Took"], ["operation", "Operation"], ["verdict", "Verdict"]]
for (const [name, title] of columns) {
  if (!has(name)) continue
  const cell = element("div", name, title)
  cell.setAttribute("role", "columnheader")
  header.append(cell)
}
const head = element("div", "group")
head.setAttribute("role", "rowgroup")
head.append(header)
const body = element("div", "rows")
body.setAttribute("role", "rowgroup")
const table = element("div", "grid")
table.setAttribute("role", "table")
table.setAttribute("aria-label", "Exchanges, newest first")
table.tabIndex = 0
table.append(head, body)
const detail = element("section", "detail")
detail.setAttribute("aria-label", "The chosen exchange")
detail.hidden = true
live.append(table, detail)

// has says whether the table has a column: verdicts where exchanges are judged, the world's time where its clock is its own.
function has(name) {
  return name === "verdict" ? Boolean(live.dataset.verdicts) : name === "world-time" ? Boolean(live.dataset.clock) : true
}

function took(ms) {
  return ms < 0.1 ? "< 0.1 ms" : ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`
}

function element(name, className, text) {
  const e = document.createElement(name)
  e.className = className
  if (text !== undefined) e.textContent = text
  return e
}

async function ask(from, limit) {
  const query = new URLSearchParams(state.query)
  query.set("from", from)
  query.set("limit", limit)
  const response = await fetch(`${live.dataset.rows}?${query}`)
  if (!response.ok) throw new Error(`${response.status}`)
  return response.json()
}

// news asks how many rows there are, with the newest of them.
let asking = false
let again = false
async function news() {
  if (asking) {
    again = true
    return
  }
  asking = true
  try {
    const last = Math.floor(Math.max(state.matching - 1, 0) / page)
    const answer = await ask(last * page, page)
    if (answer.dropped.entries !== state.dropped || answer.matching < state.matching) {
      state.pages.clear()
      state.asked.clear()
      state.dropped = answer.dropped.entries
    }
    const grown = answer.matching - state.matching
    state.matching = answer.matching
    if (answer.from === last * page) state.pages.set(last, answer.rows)
    for (let full = last + 1; full * page < state.matching; full++) state.asked.delete(full)
    document.querySelector("[data-matching]").textContent = grouped(answer.matching)
    document.querySelector("[data-total]").textContent = grouped(answer.total)
    body.style.height = `${state.matching * rowHeight}px`
    if (grown > 0 && table.scrollTop > rowHeight) table.scrollTop += grown * rowHeight // what is read stays in place
    draw()
  } finally {
    asking = false
    if (again) {
      again = false
      news()
    }
  }
}

function grouped(n) {
  return n.toString().replace(/\B(?=(\d{3})+$)/g, "\u202f")
}

// rowAt returns the row at a place of the table, counted from the newest; undefined until it is known.
function rowAt(place) {
  const at = state.matching - 1 - place
  return state.pages.get(Math.floor(at / page))?.[at % page]
}

async function load(number) {
  if (state.asked.has(number)) return
  state.asked.add(number)
  try {
    const answer = await ask(number * page, page)
    if (answer.from === number * page) state.pages.set(number, answer.rows)
    schedule()
  } catch {
    state.asked.delete(number)
  }
}

let drawing = false
function schedule() {
  if (drawing) return
  drawing = true
  requestAnimationFrame(() => {
    drawing = false
    draw()
  })
}

function draw() {
  const first = Math.max(0, Math.floor(table.scrollTop / rowHeight) - 5)
  const past = Math.min(state.matching, first + Math.ceil(table.clientHeight / rowHeight) + 10)
  const rows = []
  const seqs = []
  for (let place = first; place < past; place++) {
    const row = rowAt(place)
    if (!row) {
      load(Math.floor((state.matching - 1 - place) / page))
      continue
    }
    rows.push(line(row, place))
    if (!state.verdicts.has(row.seq)) seqs.push(row.seq)
  }
  const focused = body.contains(document.activeElement) ? document.activeElement.textContent : ""
  body.replaceChildren(...rows)
  if (focused) [...body.querySelectorAll("a")].find((a) => a.textContent === focused)?.focus({preventScroll: true})
  table.setAttribute("aria-rowcount", state.matching + 1)
  verdicts(seqs)
}

function line(row, place) {
  const e = element("div", row.seq === state.selected ? "row chosen" : "row")
  e.setAttribute("role", "row")
  e.setAttribute("aria-rowindex", place + 2)
  e.style.transform = `translateY(${place * rowHeight}px)`
  const seq = element("div", "seq")
  const link = element("a", "", row.seq)
  link.href = live.dataset.exchange + row.seq
  seq.append(link)
  const request = element("div", "request")
  request.append(element("b", "", row.method), " ", element("span", "url", address(row.url)))
  const status = element("div", "status-cell")
  status.append(element("span", `status s${Math.floor(row.status / 100)}`, row.status || "none"))
  const operation = element("div", "operation", row.operation || "")
  if (row.fault) operation.append(" ", element("span", "chip", "fault"))
  if (row.notes?.some((note) => note.startsWith("the mock differs"))) operation.append(" ", element("span", "chip", "differs"))
  e.append(seq, element("div", "time", row.received.slice(11, 23)))
  if (has("world-time")) e.append(element("div", "time world-time", row.start.slice(0, 19).replace("T", " ")))
  e.append(request, status, element("div", "took", took(row.tookMs)), operation)
  if (has("verdict")) {
    const verdict = state.verdicts.get(row.seq) || ""
    const cell = element("div", "verdict")
    cell.append(element("span", `judged ${verdict}`, verdict || "…"))
    e.append(cell)
  }
  for (const cell of e.children) cell.setAttribute("role", "cell")
  return e
}

function address(url) {
  try {
    const u = new URL(url)
    return u.pathname + u.search
  } catch {
    return url
  }
}

// verdicts asks for those of rows in sight that have none yet. The judge may be behind, so it is asked again.
let asksVerdicts = false
async function verdicts(seqs) {
  if (!live.dataset.verdicts || asksVerdicts || seqs.length === 0) return
  asksVerdicts = true
  try {
    const response = await fetch(`${live.dataset.verdicts}?seqs=${seqs.join(",")}`)
    if (!response.ok) return
    const answer = await response.json()
    let isNew = false
    for (const [seq, verdict] of Object.entries(answer.verdicts)) {
      state.verdicts.set(Number(seq), verdict)
      isNew = true
    }
    if (isNew) schedule()
    else setTimeout(schedule, 1000)
  } finally {
    asksVerdicts = false
  }
}

async function show(seq) {
  state.selected = seq
  history.replaceState(null, "", `#${seq}`)
  draw()
  const response = await fetch(live.dataset.exchange + seq)
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html")
  if (state.selected !== seq) return // another one was chosen meanwhile
  const found = parsed.querySelector("#exchange") || parsed.querySelector(".page")
  detail.replaceChildren(document.adoptNode(found))
  // Links and forms of that page are relative to its address, which is one level below this one.
  for (const e of detail.querySelectorAll("[href], [action]")) {
    for (const name of ["href", "action"]) {
      const value = e.getAttribute(name)
      if (value && value.startsWith("../")) e.setAttribute(name, new URL(value, new URL(live.dataset.exchange, location.href)).pathname + new URL(value, location.href).search)
    }
  }
  const close = element("button", "close", "Close")
  close.type = "button"
  close.addEventListener("click", () => {
    detail.hidden = true
    live.classList.remove("split")
    state.selected = 0
    history.replaceState(null, "", location.pathname + location.search)
    schedule()
    table.focus()
  })
  detail.prepend(close)
  detail.hidden = false
  live.classList.add("split")
  detail.scrollTop = 0
  schedule()
  document.dispatchEvent(new CustomEvent("console:added", {detail: detail}))
}

body.addEventListener("click", (event) => {
  const row = event.target.closest(".row")
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  show(Number(row.querySelector("a").textContent))
})

table.addEventListener("keydown", (event) => {
  const places = {ArrowDown: 1, ArrowUp: -1, j: 1, k: -1}
  if (!(event.key in places) || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  let place = 0
  if (state.selected) {
    for (let i = 0; i < state.matching; i++) {
      if (rowAt(i)?.seq === state.selected) {
        place = i + places[event.key]
        break
      }
    }
  }
  const row = rowAt(Math.min(Math.max(place, 0), state.matching - 1))
  if (!row) return
  const top = place * rowHeight
  if (top < table.scrollTop) table.scrollTop = top
  if (top + 3 * rowHeight > table.scrollTop + table.clientHeight) table.scrollTop = top + 3 * rowHeight - table.clientHeight
  show(row.seq)
})

table.addEventListener("scroll", schedule, {passive: true})
addEventListener("resize", schedule)

// The filter works without leaving the page.
const filter = document.getElementById("filter")
let waiting
function refilter() {
  const query = new URLSearchParams([...new FormData(filter)].filter(([, value]) => value))
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname)
  state.query = query
  state.matching = 0
  state.pages.clear()
  state.asked.clear()
  table.scrollTop = 0
  news()
}
filter.addEventListener("submit", (event) => {
  event.preventDefault()
  refilter()
})
filter.addEventListener("input", () => {
  clearTimeout(waiting)
  waiting = setTimeout(refilter, 250)
})

live.hidden = false
still.hidden = true
const empty = document.querySelector("#still .empty")
const ticks = new EventSource(live.dataset.ticks)
ticks.addEventListener("tick", news)
news().then(() => {
  if (state.matching === 0 && empty) {
    live.before(empty)
    const gone = () => { if (state.matching) empty.remove(); else setTimeout(gone, 300) }
    gone()
  }
  if (state.selected) show(state.selected)
})
