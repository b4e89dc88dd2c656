package learn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/fold"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// storyteller writes the recorded requests as a story.
type storyteller struct {
	*learner
	lines        []string // steps, and comments
	chapter      chapter
	files        []txtar.File
	fileOf       map[string]string // by content
	translations map[*specs.Document]*compare.Translation
	variables    map[string]bool
	captured     map[string]bool          // by kind and id
	cursors      map[string]string        // variables by the cursors that they stand for
	fixed        map[string]bool          // values that stand in the scenario, or that a client has chosen
	named        map[string]int           // the last exchanges whose requests have a value
	unsent       map[*judge.Result]string // comments in the place of requests that a mock of the scenario carries out
	asked        map[string]string        // answers to the same request, since something was last written
	key          string
	now          time.Time
	n            int  // of the step
	isOver       bool // a request that writes cannot be written as a step, and what follows may depend on it
}

// chapter is a group of steps under a comment.
type chapter struct {
	at, requests int      // the line of the comment, and how many requests follow it
	does         []string // names of operations, first of those that write
	writes       int      // of these
}

// maxMatched is the size of an answer that a story repeats.
const maxMatched = 4 << 10

// maxInterrupted is the number of exchanges that are still written as steps after an interrupt.
const maxInterrupted = 2_000

// maxWritten is the number of times that a story is written.
const maxWritten = 5

// story returns the recorded requests as a txtar archive, see package story. Where the story leaves out a request that
// a mock of the scenario carries out, it is written anew by what a mock answers without that request.
func (l *learner) story(ctx context.Context, root *mapping) []byte {
	if ctx.Err() == nil && len(l.exchanges) <= l.Effort && l.replayed != nil {
		_ = l.replayReseeded(ctx, root)
	}
	for n := 1; ; n++ {
		s := l.writeStory(ctx, root)
		isLast := n == maxWritten || n*len(l.exchanges) > l.Effort/2
		if len(s.unsent) == len(l.unsent) || isLast || l.replayWithout(ctx, root, s.unsent) != nil {
			return txtar.Format(&txtar.Archive{Comment: []byte(strings.Join(fold.Lines(s.lines), "\n") + "\n"), Files: s.files})
		}
	}
}

// replayWithout replays the recording without some of its requests.
func (l *learner) replayWithout(ctx context.Context, root *mapping, unsent map[*judge.Result]string) error {
	l.unsent = unsent
	if err := l.replayReseeded(ctx, root); err != nil {
		return err
	}
	return l.replayOn(ctx, root)
}

// replayReseeded replays the recording to a mock of the scenario with another seed: what it answers otherwise says
// nothing about the recorded world, and would keep the story from being played there.
func (l *learner) replayReseeded(ctx context.Context, root *mapping) error {
	replayed := l.replayed
	defer func() { l.replayed = replayed }()
	other := newMapping()
	other.set("seed", 2)
	for i := 0; i+1 < len(root.node.Content); i += 2 {
		other.set(root.node.Content[i].Value, root.node.Content[i+1])
	}
	err := l.replayOn(ctx, other)
	l.reseeded = l.replayed
	return err
}

// replayOn replays the recording to a mock of a scenario.
func (l *learner) replayOn(ctx context.Context, root *mapping) error {
	subject, err := l.build(root)
	if err != nil {
		return err
	}
	if subject.Close != nil {
		defer subject.Close()
	}
	return l.replay(ctx, subject, nil, nil)
}

func (l *learner) writeStory(ctx context.Context, root *mapping) *storyteller {
	s := &storyteller{
		learner: l, translations: map[*specs.Document]*compare.Translation{}, unsent: maps.Clone(l.unsent),
		variables: map[string]bool{}, captured: map[string]bool{}, cursors: map[string]string{}, fixed: map[string]bool{},
		asked: map[string]string{}, named: map[string]int{}, key: "1/admin", now: l.begin, fileOf: map[string]string{},
	}
	s.fix(root.node, "")
	for _, e := range l.exchanges {
		for _, value := range s.requestValues(e) {
			s.named[value] = e.N
		}
	}
	for _, e := range l.exchanges {
		s.translation(e.Result) // by which ids that others show are translated, too
	}
	s.line("# Learned from a recording that began at %s.", timeText(l.begin))
	late := 0
	for _, e := range l.exchanges {
		if s.leaveOut(e.leftOut); !s.isOver {
			s.step(e)
		}
		if ctx.Err() == nil || s.isOver {
			continue
		}
		if late++; late == maxInterrupted {
			s.line("# The story ends here, since learning was interrupted.")
			s.isOver = true
		}
	}
	s.leaveOut(l.leftOut)
	s.endChapter()
	return s
}

// translation returns the translation of the document of an exchange.
func (s *storyteller) translation(r *judge.Result) *compare.Translation {
	d := r.Owner.Document
	if s.translations[d] == nil {
		s.translations[d] = compare.NewTranslation(d)
	}
	return s.translations[d]
}

// fix notes the values that stand in the scenario: names, and ids.
func (s *storyteller) fix(n *yaml.Node, name string) {
	if isIDName(name) || !isServerMade(n.Value) {
		s.fixed[n.Value] = true
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			name = n.Content[i-1].Value
		}
		s.fix(child, name)
	}
}

// isServerMade reports whether a value looks as ids do that servers make.
func isServerMade(value string) bool { return number(value) > 0 || anyUUID.MatchString(value) }

func (s *storyteller) line(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// beginChapter begins a chapter before a request: when another key is shown, or something else is asked for, and the
// last one has become long.
func (s *storyteller) beginChapter(e *Exchange) {
	const short, long = 16, 30
	does := strings.ToLower(capital.ReplaceAllString(e.Operation().ID, " $0"))
	isOther := s.keyOf(e) != s.key || !slices.Contains(s.chapter.does, does)
	if n := s.chapter.requests; n == 0 || n >= long || n >= short && isOther {
		s.endChapter()
		s.chapter = chapter{at: len(s.lines)}
		s.line("")
	}
	if s.chapter.requests++; slices.Contains(s.chapter.does, does) {
		return
	}
	if isWrite(e) {
		s.chapter.does = slices.Insert(s.chapter.does, s.chapter.writes, does)
		s.chapter.writes++
	} else {
		s.chapter.does = append(s.chapter.does, does)
	}
}

// capital matches the beginning of a word in the name of an operation.
var capital = regexp.MustCompile(`[A-Z][a-z]`)

// endChapter writes the comment of a chapter: what its requests do.
func (s *storyteller) endChapter() {
	if s.chapter.requests == 0 {
		return
	}
	text := "#"
	for i, does := range s.chapter.does {
		if len(text)+len(does) > fold.Width-len(", and more.") {
			text += " and more,"
			break
		}
		if i == 0 {
			does = strings.ToUpper(does[:1]) + does[1:]
		}
		text += " " + does + ","
	}
	s.lines[s.chapter.at] = strings.TrimSuffix(text, ",") + "."
}

// file adds a file, unless there is one with its content, and returns its name.
func (s *storyteller) file(name string, content []byte) string {
	known := s.fileOf[filepath.Ext(name)+string(content)]
	if known != "" {
		return known
	}
	s.fileOf[filepath.Ext(name)+string(content)] = name
	s.files = append(s.files, txtar.File{Name: name, Data: content})
	return name
}

// json returns JSON as a word of a step, or the name of a file if it is long.
func (s *storyteller) json(name string, text []byte) string {
	const short = 48
	line := strings.TrimSpace(string(text))
	if isJSON := strings.HasPrefix(line, "{") || strings.HasPrefix(line, "["); isJSON && len(line) <= short &&
		!strings.ContainsAny(line, "'\n") {
		return "'" + line + "'"
	}
	return s.file(name, append([]byte(line), '\n'))
}

func (s *storyteller) step(e *Exchange) {
	s.n++
	t := s.translation(e.Result)
	target := s.target(e, t)
	defer s.choose(e)
	if s.isRepeated(e, target) || s.isPolledAgain(e) {
		return
	}
	content, ok := s.content(e, t)
	answer := s.replayed[e.Result]
	isOther := answer != nil && answer.Answer != nil && !answer.Agrees()
	switch {
	case s.unsent[e.Result] != "":
		s.line("%s", s.unsent[e.Result])
		return
	case !slices.Contains(methods, e.Item.Request.Method):
		s.omit(e, target, "whose method a story cannot send")
		return
	case !ok:
		s.omit(e, target, "whose body is not JSON")
		if isWrite(e) {
			s.end()
		}
		return
	case s.namesUnknown(e):
		s.omit(e, target, "whose id no step of this story shows")
		return
	}
	for _, now := range s.answersNow(e) {
		if now.Answer.Status != e.Status() {
			s.omit(e, target, fmt.Sprintf("which was answered with %d, and is with %d by a mock of the scenario", e.Status(),
				now.Answer.Status))
			return
		}
	}
	s.beginChapter(e)
	if by := e.At.Sub(s.now).Truncate(time.Second); by > 0 {
		s.line("[mock] clock advance %s", by)
		s.now = s.now.Add(by)
	}
	if key := s.keyOf(e); key != s.key {
		s.key = key
		s.line("as %s", key)
	}
	want := ""
	if !isOther {
		want = s.match(e, t)
	}
	s.headers(e, content)
	switch {
	case want != "" && s.isPolled(e):
		s.line("poll %s %s", target, want)
		want = ""
	default:
		s.line("%s %s %d%s", e.Item.Request.Method, target, e.Status(), content)
	}
	if isOther {
		s.line("# The answer of a mock of the scenario differs from the recorded one.")
	}
	s.capture(e, t)
	if want != "" {
		s.line("match %s", want)
	}
}

// omit writes a comment in the place of a step.
func (s *storyteller) omit(e *Exchange, target, reason string) {
	comment := fmt.Sprintf("# Left out: %s %s, %s.", e.Item.Request.Method, target, reason)
	s.line("%s", comment)
	answer := s.replayed[e.Result]
	if isWrite(e) && answer != nil && answer.Answer != nil && answer.Answer.Status/100 == 2 {
		s.unsent[e.Result] = comment
	}
}

// choose notes the values that a request has, which its answer may repeat.
func (s *storyteller) choose(e *Exchange) {
	for _, value := range s.requestValues(e) {
		s.fixed[value] = s.fixed[value] || !isServerMade(value)
	}
}

// requestValues lists the values of a request that may be ids: those of its path, its query and its body.
func (s *storyteller) requestValues(e *Exchange) (list []string) {
	for _, name := range e.Operation().PathParameters() {
		list = append(list, e.Owner.Match.Declared(name))
	}
	for name, values := range queryOf(e) {
		if isIDName(name) || isCursor.MatchString(name) {
			list = append(list, values...)
		}
	}
	eachValue(e.asked(), func(value jsontree.Value) { list = append(list, value.Text()) })
	return list
}

// eachValue passes on the texts and numbers in a value.
func eachValue(value jsontree.Value, do func(jsontree.Value)) {
	switch {
	case value.IsObject(), value.IsArray():
		for inner := range value.Each {
			eachValue(inner, do)
		}
	case value.IsString(), value.IsNumber():
		do(value)
	}
}

// isRepeated reports whether the story has asked the same before, with the same answer, and nothing was written since.
func (s *storyteller) isRepeated(e *Exchange, target string) bool {
	if isWrite(e) {
		clear(s.asked)
		return false
	}
	request := s.keyOf(e) + " " + target
	answer := fmt.Sprint(e.Status())
	if b := e.Item.Response.Body; b != nil {
		answer += string(b.Bytes)
	}
	before, isAsked := s.asked[request]
	s.asked[request] = answer
	return isAsked && before == answer
}

// stateOf returns the state of the entity that an answer shows, or nothing.
func stateOf(e *Exchange) string {
	if !e.ok() || isWrite(e) {
		return ""
	}
	for _, name := range []string{"status", "state"} {
		if v := e.answer().Get(name); v.IsString() {
			return v.Text()
		}
	}
	return ""
}

// isPolled reports whether an answer shows the state of an entity that the recording makes, which takes its time.
func (s *storyteller) isPolled(e *Exchange) bool {
	if stateOf(e) == "" || e.Status() != http.StatusOK {
		return false
	}
	for _, a := range e.Operation().Actions() {
		if len(a.Path) > 0 {
			t := s.entities.find(a.Resource.Name, param(e, a.Path[len(a.Path)-1]))
			return t != nil && !t.wasThere()
		}
	}
	return false
}

// isPolledAgain reports whether a later request waits for another state, and nothing is written until then.
func (s *storyteller) isPolledAgain(e *Exchange) bool {
	if !s.isPolled(e) {
		return false
	}
	for _, later := range s.exchanges[e.N:] {
		switch {
		case isWrite(later):
			return false
		case later.Owner.Path == e.Owner.Path && later.Owner.Query == e.Owner.Query && later.name() == e.name() &&
			later.Credential().Identity == e.Credential().Identity && stateOf(later) != "":
			return stateOf(later) != stateOf(e)
		}
	}
	return false
}

// namesUnknown reports whether a request names an entity that was made while the recording ran, and whose id no answer
// of the story shows.
func (s *storyteller) namesUnknown(e *Exchange) bool {
	for _, a := range e.Operation().Actions() {
		if len(a.Path) == 0 || a.Resource.IsNamed() {
			continue
		}
		id := param(e, a.Path[len(a.Path)-1])
		isChosen := number(id) > 0 || anyUUID.MatchString(id) // by the server
		t := s.entities.find(a.Resource.Name, id)
		if isChosen && t != nil && !t.wasThere() && !s.captured[nameOf(a.Resource.Name, id)] {
			return e.ok()
		}
	}
	return false
}

// match returns the file with what the answer must have, or nothing if it is not JSON, or long.
func (s *storyteller) match(e *Exchange, t *compare.Translation) string {
	content := e.answer().Raw()
	if !e.ok() || e.Item.ResponseDoubt != "" || len(content) > maxMatched {
		return ""
	}
	value, err := body.DecodeJSON([]byte(content))
	if err != nil {
		return ""
	}
	value = loosen("", t.Answer(e.Result, value))
	for _, now := range s.answersNow(e) {
		if now, err := body.DecodeJSON(now.Answer.Body); err == nil {
			value = tolerate(value, now)
		}
	}
	if value == anything {
		return ""
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return ""
	}
	return s.json(fmt.Sprintf("%d.json", s.n), unquote(fold.JSON(text.String())))
}

// anything stands for any value in what a story wants.
const anything = "*"

// answersNow lists what mocks of the scenario answer a request with, one for each of two seeds, as far as they do.
func (s *storyteller) answersNow(e *Exchange) (list []*compare.Exchange) {
	for _, replayed := range []map[*judge.Result]*compare.Exchange{s.replayed, s.reseeded} {
		if now := replayed[e.Result]; now != nil && now.Answer != nil {
			list = append(list, now)
		}
	}
	return list
}

// tolerate puts a * in the place of what a mock of the scenario answers otherwise, in an answer that agrees, and leaves
// out members that its answer does not have.
func tolerate(value, now any) any {
	switch v := value.(type) {
	case map[string]any:
		is, isObject := now.(map[string]any)
		if !isObject {
			return anything
		}
		for name := range v {
			if part, has := is[name]; has {
				v[name] = tolerate(v[name], part)
			} else {
				delete(v, name)
			}
		}
		return v
	case []any:
		is, isArray := now.([]any)
		if !isArray || len(is) != len(v) {
			return anything
		}
		for i := range v {
			v[i] = tolerate(v[i], is[i])
		}
		return v
	case string:
		if strings.HasPrefix(v, "$") || strings.HasPrefix(v, compare.Unquoted) {
			return v
		}
	}
	if value != now {
		return anything
	}
	return value
}

// loosen puts a * in the place of what another run may answer otherwise: ids that a server chose, times, secrets and
// addresses.
func loosen(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = loosen(name, v[name])
		}
	case []any:
		for i := range v {
			v[i] = loosen(name, v[i])
		}
	case string:
		isTime := !instant(v).IsZero()
		isID := number(v) > 0 || strings.HasPrefix(v, compare.Unquoted) || digest.MatchString(name) ||
			strings.Contains(v, "redacted-")
		if isTime || isID || mark.MatchString(v) || anyUUID.MatchString(v) || strings.Contains(v, "://") {
			return anything
		}
	case json.Number:
		if seconds, err := v.Float64(); err == nil && seconds > 1e9 || isIDName(name) {
			return anything
		}
	}
	return value
}

// digest matches the names of what is computed of other values.
var digest = regexp.MustCompile(`(?i)(digest|md5|sha\d+)$`)

var anyUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func isIDName(name string) bool {
	return name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id")
}

// isCursor matches the names of what leads from one page to the next.
var isCursor = regexp.MustCompile(`(?i)cursor|last_?id|page_?token`)

// leaveOut writes comments in the place of steps that cannot be written, because of injected faults.
func (s *storyteller) leaveOut(list []*judge.Result) {
	for _, r := range list {
		if s.isOver {
			return
		}
		fault, _ := recording.ParseFault(r.Item.Fault)
		e := &Exchange{Result: r}
		s.line("# Left out: %s %s, into which the fault %s was injected.", r.Item.Request.Method,
			s.target(e, s.translation(r)), fault.ID)
		if isWrite(e) && mayHaveHappened(r) {
			s.end()
		}
	}
}

// end ends the story after a request that writes and cannot be written as a step.
func (s *storyteller) end() {
	s.line("# The story ends here, since what follows may depend on that.")
	s.isOver = true
}
