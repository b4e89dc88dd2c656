// What every page of the console has beyond what works without JavaScript.

// Without a script, the picker of worlds has a button.
for (const element of document.querySelectorAll("[data-js-hides]")) element.hidden = true
for (const form of document.querySelectorAll("form[data-picker]")) {
  form.querySelector("select").addEventListener("change", () => form.requestSubmit())
}

// Text to copy has a button for that.
function addCopyButton(place) {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = "Copy"
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(place.querySelector("pre").textContent)
      button.textContent = "Copied"
    } catch {
      getSelection().selectAllChildren(place.querySelector("pre"))
      button.textContent = "Press Ctrl+C"
    }
    setTimeout(() => { button.textContent = "Copy" }, 2000)
  })
  place.append(button)
}
document.querySelectorAll(".copy").forEach(addCopyButton)
document.addEventListener("console:added", (event) => event.detail.querySelectorAll(".copy").forEach(addCopyButton))

// A real clock goes on while the page is open.
for (const time of document.querySelectorAll('time[data-clock="real"]')) {
  const ahead = Date.parse(time.dateTime) - Date.now()
  const tick = () => {
    time.textContent = new Date(Date.now() + ahead).toISOString().replace("T", " ").slice(0, 19)
  }
  setInterval(tick, 1000)
}

// What tells of the present is fetched anew while somebody looks and does nothing with it.
const isBusy = (part) => part.contains(document.activeElement) || !getSelection().isCollapsed
async function refresh(part) {
  if (document.visibilityState !== "visible" || isBusy(part)) return
  const answer = await fetch(location.href, {headers: {Accept: "text/html"}}).catch(() => null)
  if (!answer?.ok || answer.redirected) return
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part.id)
  if (!fresh || isBusy(part) || fresh.innerHTML === part.dataset.seen) return
  const isFirst = part.dataset.seen === undefined
  part.dataset.seen = fresh.innerHTML
  if (isFirst && fresh.textContent === part.textContent) return
  for (const one of fresh.querySelectorAll("details[id]")) {
    const shown = document.getElementById(one.id)
    if (shown) one.open = shown.open
  }
  part.replaceChildren(...fresh.childNodes)
  part.dispatchEvent(new CustomEvent("console:added", {bubbles: true, detail: part}))
}
document.querySelectorAll("[data-live]").forEach((part) => setInterval(() => refresh(part), 2000))

// Behind a proxy that takes off a prefix, only the browser knows the server's whole address.
const prefix = location.pathname.split("/_understudy/console")[0]
if (prefix) {
  for (const place of document.querySelectorAll("[data-address]")) {
    place.textContent = place.textContent.replace(location.origin, location.origin + prefix)
  }
}

// The shortest way to the pages: g and a letter; / for the search.
let leader = false
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return
  if (event.key === "/") {
    const search = document.querySelector(".page input[type=search]")
    if (search) {
      event.preventDefault()
      search.focus()
    }
    return
  }
  if (leader) {
    const link = [...document.querySelectorAll(".rail a")].find((a) => a.textContent.trim()[0].toLowerCase() === event.key)
    if (link) link.click()
  }
  leader = event.key === "g"
})
