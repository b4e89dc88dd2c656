package console

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/snippet"
)

// snippetView is the request of an exchange as text to copy, or the reason why it cannot be written so.
type snippetView struct{ Name, Text, Reason string }

const (
	maxBodyInSnippet = 8 << 10  // bytes of a body that stand in a snippet; a longer one is read from a file
	maxSnippet       = 64 << 10 // bytes of a snippet that the page shows
)

// addSnippets writes the request of the exchange as text that sends it again.
func (v *view) addSnippets(body *exchangePage) error {
	var w world
	if err := v.get("worlds/"+url.PathEscape(v.World), &w); err != nil {
		return err
	}
	e := &body.Exchange
	opts := []snippet.Option{
		snippet.WithBrand(v.brand), snippet.WithScenario(w.Scenario), snippet.WithBodyFile(bodyFile(e), maxBodyInSnippet),
	}
	inWorld := v.withWorld(e)
	curl, secrets := snippet.Curl(inWorld, opts...)
	body.Secrets = secrets
	add := func(name, text string, err error) { body.Snippets = append(body.Snippets, newSnippet(name, text, err)) }
	add("curl", curl, nil)
	text, err := snippet.GoTest(e, opts...)
	add("Go test", text, err)
	text, err = snippet.Python(inWorld, opts...)
	add("Python", text, err)
	text, err = snippet.StoryStep(e, opts...)
	add("Story step", text, err)
	return nil
}

func newSnippet(name, text string, err error) snippetView {
	switch {
	case err != nil:
		return snippetView{Name: name, Reason: "It cannot be written so: " + err.Error() + "."}
	case len(text) > maxSnippet:
		return snippetView{Name: name, Reason: fmt.Sprintf("It has %d bytes, more than this page shows.", len(text))}
	}
	return snippetView{Name: name, Text: text}
}

// withWorld returns an exchange whose request names the world, as its address in the journal does not.
func (v *view) withWorld(e *recording.Exchange) *recording.Exchange {
	names := func(h [2]string) bool { return strings.EqualFold(h[0], worldHeader) }
	if v.World == defaultWorld || slices.ContainsFunc(e.Request.Headers, names) {
		return e
	}
	there := *e
	there.Request.Headers = append(slices.Clip(e.Request.Headers), [2]string{worldHeader, v.World})
	return &there
}

// HasLongBody reports whether snippets read the body of the request from a file.
func (p exchangePage) HasLongBody() bool {
	body := p.Exchange.Request.Body
	return body != nil && len(body.Bytes) > maxBodyInSnippet
}

// bodyFile returns the name of the file for the body of a request.
func bodyFile(e *recording.Exchange) string { return fmt.Sprintf("request-%d.body", e.Seq) }

// requestBody sends the body of a request as a file.
func (v *view) requestBody() error {
	var e recording.Exchange
	if err := v.getIn("journal/"+url.PathEscape(v.r.PathValue("seq")), &e); err != nil {
		return err
	}
	if e.Request.Body == nil {
		return v.problem(http.StatusNotFound, "The request has no body.")
	}
	h := v.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": bodyFile(&e)}))
	_, err := v.w.Write(e.Request.Body.Bytes)
	return err
}

// curl returns a call as a command for a shell.
func (v *view) curl(c call) string {
	scheme := "http://"
	if v.secure {
		scheme = "https://"
	}
	var b strings.Builder
	b.WriteString("curl")
	if strings.ContainsAny(c.Path, "[]{}") {
		b.WriteString(" --globoff")
	}
	if c.Method != "GET" {
		b.WriteString(" -X " + snippet.ShellWord(c.Method))
	}
	if v.token != "" && strings.HasPrefix(c.Path, controlPath) {
		b.WriteString(` -H "Authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN"`)
	}
	hasType := false
	for _, line := range c.Header {
		hasType = hasType || line[0] == "Content-Type"
		b.WriteString(" -H " + snippet.ShellWord(line[0]+": "+line[1]))
	}
	if len(c.Body) > 0 {
		if !hasType {
			b.WriteString(" -H 'Content-Type: application/json'")
		}
		b.WriteString(" --data-raw " + snippet.ShellWord(string(c.Body)))
	}
	return b.String() + " " + snippet.ShellWord(scheme+v.host+c.Path)
}
