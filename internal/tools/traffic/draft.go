package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

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

// instance is one exchange of one life of an account, with all in which it differs from others like it.
type instance struct {
	account, life int
	born, start   time.Time // of the life, and of the exchange
	took          int       // milliseconds, of three digits
	seq           int
}

// variable appends a value of an instance to a line.
type variable func(b []byte, x *instance) []byte

// template is a line of a recording, in pieces.
type template []piece

// piece is a text that stays, and the variable behind it, nil at the end of a template.
type piece struct {
	text  []byte
	value variable
}

// append adds the line of an instance.
func (t template) append(b []byte, x *instance) []byte {
	for i := range t {
		b = append(b, t[i].text...)
		if t[i].value != nil {
			b = t[i].value(b, x)
		}
	}
	return b
}

// cut divides a line in which marks stand for variables.
func cut(line []byte, marks []mark) (t template) {
	for len(line) > 0 {
		at, found := len(line), mark{}
		for _, m := range marks {
			if i := bytes.Index(line[:min(at+len(m.text), len(line))], []byte(m.text)); i >= 0 && i < at {
				at, found = i, m
			}
		}
		t = append(t, piece{line[:at], found.value})
		line = line[at+len(found.text):]
	}
	return t
}

// What differs from one exchange to another stands in angle brackets in the text of a life. Each has a fixed width, so
// that the lengths of bodies are the same in each exchange that is made of it.
//
//	<a>          the account, 7 digits
//	<s>          the number of the life, 10 digits
//	<id1>        a number of the life's own, 10 digits; <id2> is another one
//	<uuid1>      a UUID of the life's own
//	<time>       when the life began, as 2006-01-02T15:04:05; <date> has a space in place of the T
//	<unix>       the same in seconds; <time-60s> is a minute before, and likewise <date+60s> and <unix-60s>
var placeholder = regexp.MustCompile(`<(a|s|id|uuid|time|date|unix)(\d*)(?:([+-]\d+)s)?>`)

// What ids begin with, so that they have the same width for as long as there are lives.
const (
	firstAccount = 2_000_000
	maxAccounts  = 147_000
	firstLife    = 1_000_000_000
	firstID      = 1_000_000_000
	idsOfLife    = 50
	maxLives     = 20_000_000
)

const (
	precise  = "2006-01-02T15:04:05.000000Z"
	httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"
	took     = 432 // microseconds of each duration, beside its milliseconds
)

// mark is a text that stands for a variable while a template is made. It has the width of the variable's values, and
// is found nowhere else.
type mark struct {
	text  string
	value variable
}

// Times and the number of an exchange while a template is made.
const (
	markSeq  = 7_654_321_234
	markTook = 765*time.Millisecond + took*time.Microsecond
)

// markStart is later than whatever is generated.
func markStart() time.Time { return time.Date(2270, 3, 4, 5, 6, 7, 111_111_000, time.UTC) }

// frame returns the marks that each exchange has.
func frame() []mark {
	at := markStart()
	return []mark{
		{strconv.Itoa(markSeq), func(b []byte, x *instance) []byte { return strconv.AppendInt(b, int64(x.seq), 10) }},
		{at.Format(precise), func(b []byte, x *instance) []byte { return x.start.AppendFormat(b, precise) }},
		{at.Add(markTook).Format(precise), func(b []byte, x *instance) []byte {
			return x.start.Add(time.Duration(x.took)*time.Millisecond+took*time.Microsecond).AppendFormat(b, precise)
		}},
		{fmt.Sprintf("765.%d", took), func(b []byte, x *instance) []byte {
			return append(strconv.AppendInt(b, int64(x.took), 10), fmt.Sprintf(".%d", took)...)
		}},
		{at.Format(httpDate), func(b []byte, x *instance) []byte { return x.start.AppendFormat(b, httpDate) }},
	}
}

// marked replaces the placeholders of a text by marks.
func marked(text string, marks *[]mark) (string, error) {
	var problem error
	text = placeholder.ReplaceAllStringFunc(text, func(found string) string {
		m := placeholder.FindStringSubmatch(found)
		n, _ := strconv.Atoi(m[2])
		shift, _ := strconv.Atoi(m[3])
		if n >= idsOfLife {
			problem = fmt.Errorf("%s: want a number below %d", found, idsOfLife)
		}
		made := markOf(m[1], n, shift)
		*marks = append(*marks, made)
		return made.text
	})
	if i := strings.IndexByte(text, '<'); i >= 0 && problem == nil && strings.Contains(text[i:], ">") {
		problem = fmt.Errorf("%.20s: unknown placeholder", text[i:])
	}
	return text, problem
}

func markOf(kind string, n, shift int) mark {
	at := markStart().Truncate(time.Second).Add(time.Duration(shift) * time.Second)
	switch kind {
	case "a":
		return mark{"7654320", func(b []byte, x *instance) []byte {
			return strconv.AppendInt(b, int64(firstAccount+x.account), 10)
		}}
	case "s":
		return mark{"9753108642", func(b []byte, x *instance) []byte {
			return strconv.AppendInt(b, int64(firstLife+x.life), 10)
		}}
	case "id":
		return mark{strconv.Itoa(1_987_654_300 + n), func(b []byte, x *instance) []byte {
			return strconv.AppendInt(b, int64(firstID+x.life*idsOfLife+n), 10)
		}}
	case "uuid":
		return mark{fmt.Sprintf("feedface-0000-4000-8000-%012d", n), func(b []byte, x *instance) []byte {
			return appendUUID(b, uint64(x.life), uint64(n))
		}}
	case "time":
		return timeMark(at, "2006-01-02T15:04:05", shift)
	case "date":
		return timeMark(at, time.DateTime, shift)
	}
	return mark{strconv.FormatInt(at.Unix(), 10), func(b []byte, x *instance) []byte {
		return strconv.AppendInt(b, x.born.Unix()+int64(shift), 10)
	}}
}

func timeMark(at time.Time, layout string, shift int) mark {
	return mark{at.Format(layout), func(b []byte, x *instance) []byte {
		return x.born.Add(time.Duration(shift)*time.Second).AppendFormat(b, layout)
	}}
}

// appendUUID adds a UUID of version 4 that no other life has.
func appendUUID(b []byte, life, n uint64) []byte {
	const digits = "0123456789abcdef"
	high, low := scramble(life, n), life*idsOfLife+n
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			b = append(b, '-')
		}
		switch {
		case i == 12:
			b = append(b, '4')
		case i == 16:
			b = append(b, '8')
		case i < 16:
			b = append(b, digits[high>>(4*i)&15])
		default:
			b = append(b, digits[low>>(4*(31-i))&15])
		}
	}
	return b
}

// scramble returns a number that looks like chance, the same for the same numbers (SplitMix64).
func scramble(numbers ...uint64) (h uint64) {
	for _, n := range numbers {
		h += n + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
