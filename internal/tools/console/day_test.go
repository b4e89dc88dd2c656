package console_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver/console"
)

// click clicks what a person would: the button or link with a text. It clicks when the script is over, which a page
// that is left would end without an answer.
func click(tab *browser.Tab, text string) {
	tab.Until(fmt.Sprintf(`(() => {
		const all = [...document.querySelectorAll("button, a, summary")].filter((e) => e.checkVisibility())
		const one = all.find((e) => e.textContent.trim() === %[1]q) ?? all.find((e) => e.textContent.trim().startsWith(%[1]q))
		if (!one || one.disabled) return false
		setTimeout(() => one.click())
		return true
	})()`, text))
}

// shows waits until a text is on the page.
func shows(tab *browser.Tab, text string) {
	tab.Until(fmt.Sprintf(`document.querySelector(".page").innerText.includes(%q)`, text))
}

// A person's day at the console: a world, some calls, a refusal, time, a fault and a retry, a deviation, and a fork of
// the past. Everything is done by the mouse and the keyboard, but for what the client does.
func TestAPersonsDay(t *testing.T) {
	t.Parallel()
	understudy := build(t)
	base := serve(t, understudy, "--validate", "report")
	tab := browser.Open(t, strings.TrimPrefix(base, "http://"))
	tab.Resize(1280, 900, "light")

	// A world of a scenario.
	tab.Go(base + "/")
	shows(tab, "This is a mock of the platform")
	click(tab, "Worlds")
	tab.Do(chromedp.SetValue(`form.wide [name="string:id"]`, "day"))
	tab.Do(chromedp.SetValue(`form.wide [name="string:scenario"]`, "full-account"))
	tab.Do(chromedp.SetValue(`form.wide [name="string:clock"]`, "frozen"))
	click(tab, "Make the world")
	shows(tab, "Done.")

	// Three calls by "try it".
	browser.Value[bool](tab, `(() => {
		const picker = document.querySelector("#world")
		picker.value = "day"
		return picker.dispatchEvent(new Event("change"))
	})()`)
	tab.Until(`location.pathname.endsWith("/w/day/journal")`)
	operate := func(name, body string) {
		tab.Go(base + console.Path + "w/day/operations/" + name + "?as=text")
		if body != "" {
			tab.Do(chromedp.SetValue(`textarea[name=body]`, body))
		}
		click(tab, "Send")
		tab.Until(`document.querySelector(".result") !== null`)
	}
	operate("workflow.createPool", `{"name":"mine","concurrencyLimit":3}`)
	shows(tab, "Done.")
	operate("workflow.listPools", "")
	shows(tab, `"mine"`)

	// A refusal, and why.
	tab.Go(base + console.Path + "w/day/operations/workflow.getPool?path:poolId=99")
	click(tab, "Send")
	shows(tab, "404")
	click(tab, "Journal")
	tab.Until(`document.querySelector(".grid .rows a")?.textContent === "3"`)
	click(tab, "3")
	shows(tab, "workflow.getPool")
	shows(tab, "not found")

	// Time: an attempt ends.
	status, started := sendIn(t, "day", http.MethodPut, base+"/workflow/api/attempts",
		`{"workflowId":"1","sessionTime":"2026-01-15T09:30:00Z","params":{}}`)
	if status != http.StatusOK {
		t.Fatalf("start an attempt: status %d", status)
	}
	attempt := jsontree.Find(started, "id").Text()
	tab.Go(base + console.Path + "w/day/resources/workflow.attempt/" + attempt)
	tab.Until(stateOfAttempt + ` === "` + jsontree.Find(started, "status").Text() + `"`)
	click(tab, "Clock")
	shows(tab, "attempt's next step")
	click(tab, "Until nothing is under way")
	shows(tab, "Nothing is under way.")
	tab.Go(base + console.Path + "w/day/resources/workflow.attempt/" + attempt)
	tab.Until(stateOfAttempt + ` === "success"`)

	// A fault, and the client's retry.
	click(tab, "Script")
	click(tab, "Plan a fault")
	tab.Do(chromedp.SetValue(`#main [name="string:operation"]`, "workflow.listProjects"))
	tab.Do(chromedp.SetValue(`[name="number:first"]`, "1"), chromedp.SetValue(`[name="number:status"]`, "503"))
	click(tab, "Plan the fault")
	shows(tab, "fault-1")
	for try := 0; try == 0 || status == http.StatusServiceUnavailable && try < 5; try++ { // as a client does
		status, _ = sendIn(t, "day", http.MethodGet, base+"/workflow/api/projects", "")
	}
	click(tab, "Journal")
	tab.Until(`[...document.querySelectorAll(".grid .rows .status")].slice(0, 2).map((e) => e.textContent).join() === "200,503"`)

	// A field that no document knows, which the server lets pass, the fewest calls that show it, and the world before it.
	_, before := sendIn(t, "day", http.MethodGet, base+"/workflow/api/pools/1", "")
	sendIn(t, "day", http.MethodPatch, base+"/workflow/api/pools/1", `{"concurrencyLimit":7,"colour":"red"}`)
	click(tab, "Rules and coverage")
	click(tab, "notice")
	shows(tab, "Minimal recording")
	shows(tab, "EXCERPT OF THE DOCUMENT")
	for _, violation := range tab.Violations() {
		t.Error(violation)
	}
	address := browser.Value[string](tab, `[...document.querySelectorAll("a")].find((a) => a.textContent === "Minimal recording").href`)
	recording := browser.Value[string](tab, `fetch("`+address+`").then((r) => r.text())`)
	if strings.Count(recording, "\n") != 1 || !strings.Contains(recording, "colour") {
		t.Errorf("the minimal recording: %s", recording)
	}
	file := filepath.Join(t.TempDir(), "minimal.ndjson")
	if err := os.WriteFile(file, []byte(recording), 0o600); err != nil {
		t.Fatal(err)
	}
	report, _ := exec.CommandContext(t.Context(), understudy, "check", "--format", "json", file).Output() // which fails
	if report := string(report); !strings.Contains(report, `"undeclared-field"`) ||
		!strings.Contains(report, "colour") {
		t.Errorf("a check of the minimal recording does not find the field:\n%s", report)
	}
	click(tab, "Fork the world as it was before")
	shows(tab, "forked from day")
	worlds := send(t, http.MethodGet, base+"/_understudy/worlds", "").body
	fork := jsontree.Find(worlds, `worlds.#(fork=="day").id`).Text()
	if _, after := sendIn(t, fork, http.MethodGet, base+"/workflow/api/pools/1", ""); after != before {
		t.Errorf("in the fork %q the pool is %s, want %s", fork, after, before)
	}
	for _, complaint := range tab.Complaints() {
		t.Error(complaint)
	}
}

// stateOfAttempt is the state that the page of an attempt shows.
const stateOfAttempt = `document.querySelector("#tasks small")?.textContent.split(",")[0]`

// sendIn sends a request to a world as its administrator, and returns the status and the body of the answer.
func sendIn(t *testing.T, world, method, address, body string) (status int, text string) {
	t.Helper()
	a := send(t, method, address, body, "X-Understudy-World", world)
	return a.status, a.body
}

// build builds the command.
func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "understudy")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", "../../..", "-o", program, "./cmd/understudy").CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, out)
	}
	return program
}

// serve serves a mock in a process of its own until the test ends, and returns its address.
func serve(t *testing.T, program string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	command.Dir = t.TempDir()
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Wait() }) // the end of the context has killed it
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var ready struct{ URL string }
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return ready.URL
}
