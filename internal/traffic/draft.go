package traffic

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/specs/recording"
)

// draft is an exchange of a life while it is read.
type draft struct {
	line, key         string
	method, url       string
	request, response string // bodies
	asked, answered   recording.Headers
	status            int
	step
}

// newDraft reads the line of a request.
func newDraft(line string) *draft {
	rest, isViolated := strings.CutPrefix(line, "! ")
	d := &draft{line: line, key: "master", step: step{isViolated: isViolated}}
	if key, isOther := strings.CutPrefix(rest, "@"); isOther {
		d.key, rest, _ = strings.Cut(key, " ")
	}
	var target string
	d.method, rest, _ = strings.Cut(rest, " ")
	target, d.request, _ = strings.Cut(rest, " ")
	name, path, _ := strings.Cut(target, ":")
	d.url, d.operation = "https://"+name+".svc.example"+path, d.method+" "+name+":"+path
	return d
}

// add reads a line that belongs to a request.
func (d *draft) add(line string) error {
	sign, rest, _ := strings.Cut(line, " ")
	name, value, _ := strings.Cut(rest, ": ")
	var err error
	switch sign {
	case ">":
		d.asked = append(d.asked, [2]string{name, value})
	case "<":
		d.answered = append(d.answered, [2]string{name, value})
	case "~":
		d.slow, err = strconv.Atoi(rest)
	case "=>":
		status, body, _ := strings.Cut(rest, " ")
		d.response = body
		d.status, err = strconv.Atoi(status)
	default:
		err = fmt.Errorf("%.40q: want >, <, ~ or => at its beginning", line)
	}
	return err
}

// end adds the exchange to a life.
func (d *draft) end(l *life, format string) error {
	marks := frame()
	e, err := d.exchange(&marks)
	if err != nil {
		return fmt.Errorf("%s: %.60s: %w", l.name, d.line, err)
	}
	var line []byte
	if format == HAR {
		line, err = harEntry(e)
	} else {
		line, err = recording.Line(e)
	}
	if err != nil {
		return err
	}
	d.template = cut(line, slices.CompactFunc(slices.SortedFunc(slices.Values(marks), longFirst),
		func(a, b mark) bool { return a.text == b.text }))
	l.steps = append(l.steps, d.step)
	return nil
}

// longFirst puts long marks first, since a time in seconds begins a more precise one.
func longFirst(a, b mark) int {
	return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.text, b.text))
}

// exchange returns the exchange, with marks in place of what differs.
func (d *draft) exchange(marks *[]mark) (*recording.Exchange, error) {
	if d.status == 0 {
		return nil, errors.New("want a line => with the status of the response")
	}
	e := &recording.Exchange{Seq: markSeq, Start: markStart(), End: markStart().Add(markTook)}
	request, err := bodyOf(d.request, marks)
	if err != nil {
		return nil, err
	}
	response, err := bodyOf(d.response, marks)
	if err != nil {
		return nil, err
	}
	if d.key != "none" {
		e.Request.Headers = recording.Headers{{"Authorization", "SVC1 <a>/" + d.key}}
	}
	isLLM := strings.HasPrefix(d.url, "https://llm.")
	e.Request.Method, e.Request.URL, e.Request.Body = d.method, d.url, request
	e.Request.Headers = typed(append(e.Request.Headers, d.asked...), request, false)
	e.Response = &recording.Response{Status: d.status, Body: response, Headers: typed(d.answered, response, isLLM)}
	if response != nil {
		e.Response.Headers = append(e.Response.Headers, [2]string{"Content-Length", strconv.Itoa(len(response.Bytes))})
	}
	e.Response.Headers = append(e.Response.Headers, [2]string{"Date", markStart().Format(httpDate)})
	for _, text := range changeable(e) {
		if *text, err = marked(*text, marks); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// changeable returns what may have placeholders beside the bodies.
func changeable(e *recording.Exchange) []*string {
	list := []*string{&e.Request.URL}
	for _, headers := range []recording.Headers{e.Request.Headers, e.Response.Headers} {
		for i := range headers {
			list = append(list, &headers[i][1])
		}
	}
	return list
}

// typed adds the usual media type to the headers of a body.
func typed(headers recording.Headers, body *recording.Body, isLLM bool) recording.Headers {
	if body == nil || headers.Value("Content-Type") != "" {
		return headers
	}
	media := "application/json"
	if isLLM {
		media = "application/vnd.api+json"
	}
	return append(recording.Headers{{"Content-Type", media}}, headers...)
}

// bodyOf reads a body: JSON as it is, "text:" and a JSON string, "base64:" and bytes, or "size:" and the length of a
// JSON object.
func bodyOf(text string, marks *[]mark) (*recording.Body, error) {
	kind, rest, _ := strings.Cut(text, ":")
	var b []byte
	var err error
	switch kind {
	case "":
		return nil, nil //nolint:nilnil // there is no body
	case "text":
		err = json.Unmarshal([]byte(rest), &text)
	case "base64":
		b, err = base64.StdEncoding.DecodeString(rest)
		return &recording.Body{Bytes: b}, err
	case "size":
		var n int
		n, err = strconv.Atoi(rest)
		text = `{"life":"<s>","fill":"`
		text += strings.Repeat("x", n-len(text)-len("1234567890")+len("<s>")-len(`"}`)) + `"}`
	}
	if err == nil {
		text, err = marked(text, marks)
	}
	return &recording.Body{Bytes: []byte(text)}, err
}

// harEntry returns an exchange as an entry of a HAR file.
func harEntry(e *recording.Exchange) ([]byte, error) {
	var b bytes.Buffer
	if err := recording.WriteHAR(&b, slices.Values([]*recording.Exchange{e})); err != nil {
		return nil, err
	}
	_, entry, _ := bytes.Cut(b.Bytes(), []byte("\n"))
	return entry[:bytes.LastIndexByte(bytes.TrimSpace(entry), '\n')], nil
}
