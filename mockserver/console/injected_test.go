package console_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"testing"

	"svc.example/understudy/internal/browser"
	"svc.example/understudy/mockserver/console"
)

// must returns the body of an answer of 200 or 201.
func must(t *testing.T, s shown) string {
	t.Helper()
	if s.status != http.StatusOK && s.status != http.StatusCreated {
		t.Fatalf("status %d: %s", s.status, s.body)
	}
	return s.body
}

// makeChat makes a project, an agent and a chat with a quoted name, which is what the chat begins with.
func makeChat(t *testing.T, base, name string) (agent, chat string) {
	t.Helper()
	id := regexp.MustCompile(`"data":\{"id":"([^"]+)"`)
	made := func(kind, attributes string) string {
		body := must(t, send(t, http.MethodPost, base+"/llm/api/"+kind,
			`{"data":{"type":"`+kind+`","attributes":{`+attributes+`}}}`))
		return id.FindStringSubmatch(body)[1]
	}
	project := made("projects", `"name":`+name)
	agent = made("agents", `"projectId":"`+project+`","modelType":"claude-4.5-sonnet","name":`+name)
	chat = made("chats", `"agentId":"`+agent+`"`)
	must(t, send(t, http.MethodPost, base+"/llm/api/chats/"+chat+"/continue", `{"input":`+name+`}`))
	return agent, chat
}

// What a chat says, and what agents and projects are called, is only ever text. The interface of workflows refuses such
// names of projects, workflows and tasks.
func TestNothingInjectedIntoNamesRuns(t *testing.T) {
	t.Parallel()
	base := start(t)
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
