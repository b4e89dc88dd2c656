package console_test

import (
	"encoding/json"
	"testing"

	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver/console"
)

// What a chat says, and what agents and projects are called, is only ever text. The interface of workflows refuses such
// names of projects, workflows and tasks.
func TestNothingInjectedIntoNamesRuns(t *testing.T) {
	t.Parallel()
	_, base := start(t)
	tab := browser.Open(t, host(t, base))
	const script = `<img src=x onerror="window.bad=1"><script>window.bad=1</script>`
	quoted, err := json.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	agent, chat := makeChat(t, base, string(quoted))

	for path, want := range map[string]string{
		"llm.chat/" + chat: script, "llm.agent/" + agent: script, "llm.project": script,
	} {
		tab.Go(base + console.Path + "w/default/resources/" + path)
		text, _ := json.Marshal(want)
		if !browser.Value[bool](tab, `document.querySelector(".page").innerText.includes(`+string(text)+`)`) {
			t.Errorf("%s does not show %s:\n%s", path, want, browser.Value[string](tab, `document.body.innerText`))
		}
		if browser.Value[bool](tab, `window.bad === 1 || document.querySelector(".page img, .page script") !== null`) {
			t.Errorf("on %s a script runs", path)
		}
		for _, complaint := range tab.Complaints() {
			t.Errorf("%s: %s", path, complaint)
		}
	}
}
