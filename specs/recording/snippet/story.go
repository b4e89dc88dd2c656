package snippet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"svc.example/understudy/specs/recording"
)

// StoryStep returns the steps of a story that send the request of an exchange again, and want the recorded status and
// the beginning of a recorded JSON body, with the files that the steps mention. It is a story by itself. A key that the
// recording hides is that of the administrator. An error means that a story cannot send such a request: one to no
// interface, with another method, or with a body that is not JSON.
func StoryStep(e *recording.Exchange, opts ...Option) (string, error) {
	c := newConfig(opts)
	r, err := c.request(e)
	if err != nil {
		return "", err
	}
	p, err := c.locate(e, r)
	if err != nil {
		return "", err
	}
	s := &storyStep{exchange: e, config: c}
	switch r.method {
	case "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE":
	default:
		return "", fmt.Errorf("exchange %d: a story cannot send a request with the method %q", e.Seq, r.method)
	}
	words := []string{r.method, storyWord(s.unmark(p.storyPath()))}
	if status := status(e); status != 0 {
		words = append(words, fmt.Sprint(status))
	}
	if len(r.body) > 0 {
		body, err := s.body(p.document.Interface, r.body)
		if err != nil {
			return "", err
		}
		words = append(words, body)
	}
	steps := s.key(p, r) + strings.Join(words, " ") + "\n"
	if want := wanted(e); strings.HasPrefix(want, "{") || strings.HasPrefix(want, "[") {
		steps += "match " + s.argument("answer", want) + "\n"
	}
	return s.title(r) + steps + s.files.String(), nil
}

// storyStep is a step as it is written.
type storyStep struct {
	*config
	secrets

	exchange *recording.Exchange
	hidesKey bool // the recording, of the request
	files    strings.Builder
}

// maxInLine is the number of bytes of JSON that stand in a step itself.
const maxInLine = 100

// title returns the chapter of the step, which says how it differs from the recorded request.
func (s *storyStep) title(r *request) string {
	notes := append(s.notes(s.exchange, "put it below a line -- %s --"), mockNotes(s.exchange)...)
	if s.hidesKey {
		notes = append(notes, "The recording hides its key; put the one that you mean after as.")
	}
	for _, name := range s.variables() {
		notes = append(notes, name+" stands for a secret that the recording hides.")
	}
	if left := s.unsent(r); len(left) > 0 {
		notes = append(notes, "A story does not send its headers: "+strings.Join(left, ", ")+".")
	}
	return commented("#", append([]string{fmt.Sprintf("The request of exchange %d.", s.exchange.Seq)}, notes...))
}

// unsent returns the names of headers that a story leaves out, but for those that say who the client is.
func (s *storyStep) unsent(r *request) (names []string) {
	for _, h := range r.headers {
		switch name := strings.ToLower(h[0]); name {
		case "accept", "accept-language", "authorization", "user-agent", "x-understudy-world":
		case "content-type":
			if kind, _, _ := strings.Cut(h[1], ";"); strings.TrimSpace(kind) != "application/json" {
				names = append(names, h[0])
			}
		default:
			names = append(names, h[0])
		}
	}
	return names
}

// key returns the step that shows the key of the request.
func (s *storyStep) key(p place, r *request) string {
	for _, h := range r.headers {
		isKey := strings.EqualFold(h[0], "Authorization") || strings.EqualFold(h[0], p.document.KeyHeader())
		if !isKey {
			continue
		}
		_, key, found := strings.Cut(h[1], " ")
		if !found {
			key = h[1]
		}
		if strings.Contains(key, recording.Mark) || !isPlain(key) {
			s.hidesKey, key = true, mockKey(s.exchange)
		}
		return "as " + storyWord(key) + "\n"
	}
	return "as nobody\n"
}

// body returns the word of a step for a body.
func (s *storyStep) body(iface any, body []byte) (string, error) {
	const file = "request.json"
	text := s.unmark(string(body))
	if !json.Valid([]byte(text)) {
		return "", fmt.Errorf("exchange %d: a story of %v sends JSON, and the body is other data", s.exchange.Seq, iface)
	}
	if s.isLong(body) {
		return s.bodyFile, nil
	}
	if !isPlain(text) {
		text = visibleJSON(text)
	}
	if isInline := text[0] == '{' || text[0] == '['; isInline && !strings.Contains(text, "\n") && len(text) <= maxInLine {
		return storyWord(text), nil
	}
	s.addFile(file, text)
	return file, nil
}

// argument returns JSON as a word, or the name of a file that has it.
func (s *storyStep) argument(name, text string) string {
	if len(text) <= maxInLine {
		return storyWord(text)
	}
	var laidOut bytes.Buffer
	if err := json.Indent(&laidOut, []byte(text), "", "  "); err == nil {
		text = laidOut.String()
	}
	s.addFile(name+".json", text)
	return name + ".json"
}

func (s *storyStep) addFile(name, text string) {
	s.files.WriteString("\n-- " + name + " --\n" + strings.TrimSuffix(text, "\n") + "\n")
}

// unmark replaces marks by names, for which a reader puts the secrets.
func (s *storyStep) unmark(text string) string {
	var b strings.Builder
	for _, p := range s.split(text) {
		if p.secret > 0 {
			b.WriteString(variable(p.secret))
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// visibleJSON returns the same JSON with what is hidden escaped, and without space between values.
func visibleJSON(text string) string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return text
	}
	var b strings.Builder
	for _, c := range compact.String() {
		if isHidden(c) {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// storyWord quotes a word of a step where it needs that.
func storyWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t'#$\"{}[]") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", "''") + "'"
}
