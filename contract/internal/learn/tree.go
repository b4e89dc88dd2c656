package learn

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs/recording"
)

// mapping is a mapping of the scenario under way. Members stay in the order in which they are set; those without a
// value are left out.
type mapping struct{ node *yaml.Node }

func newMapping() *mapping { return &mapping{&yaml.Node{Kind: yaml.MappingNode}} }

// mappingOf returns a mapping with members that are set: pairs of a name and a value.
func mappingOf(pairs ...any) *mapping { return newMapping().with(pairs...) }

// with sets members, and returns the mapping.
func (m *mapping) with(pairs ...any) *mapping {
	for i := 0; i+1 < len(pairs); i += 2 {
		m.set(pairs[i].(string), pairs[i+1])
	}
	return m
}

// isEmpty reports whether nothing is set.
func (m *mapping) isEmpty() bool { return m == nil || len(m.node.Content) == 0 }

// set sets a member, unless it is set or the value is empty: nil, an empty text, 0, false, an empty list or mapping.
func (m *mapping) set(name string, value any) { m.guess(name, value, "") }

// guess sets a member likewise that the recording does not show, with the reason for the value; without one it does not
// mark it.
func (m *mapping) guess(name string, value any, reason string) {
	node := nodeOf(value)
	if node == nil || m.has(name) {
		return
	}
	key := scalar(name)
	if reason != "" {
		key.HeadComment = guessMark + reason
	}
	m.node.Content = append(m.node.Content, key, node)
}

// when returns the reason for a guess where it is one.
func when(isGuess bool, reason string) string {
	if !isGuess {
		return ""
	}
	return reason
}

// copyAll adds the members of an object that are not null, as they are, but for some.
func (m *mapping) copyAll(o jsontree.Value, but ...string) {
	for value := range o.Each {
		if !slices.Contains(but, value.Name()) {
			m.set(value.Name(), value)
		}
	}
}

// copy sets members to those of an object, each by its name or as name=path. What ends in At is a time, id and what
// ends in Id an id. Numbers that are 0 and what is false are left out.
func (m *mapping) copy(o jsontree.Value, members ...string) {
	for _, member := range members {
		name, path, isOther := strings.Cut(member, "=")
		if !isOther {
			path = name
		}
		switch value := get(o, path); {
		case strings.HasSuffix(name, "At"):
			m.set(name, timeOf(value))
		case name == "id", strings.HasSuffix(name, "Id"):
			m.set(name, idOf(value.Text()))
		case !value.IsBool() && !value.IsNumber() || value.Bool():
			m.set(name, value)
		}
	}
}

// setBefore is the reason for a guess that may be true.
const setBefore = "it was set before an answer showed it"

// shown sets members to what the first answer shows that has them, and marks those that a request had set by then.
func (m *mapping) shown(t *entity, members ...string) {
	for _, member := range members {
		name, at, isOther := strings.Cut(member, "=")
		if !isOther {
			at = name
		}
		value, isChanged := t.value(at)
		if value.Text() != "" && (!value.IsNumber() || value.Float() != 0) {
			m.guess(name, value, when(isChanged, setBefore))
		}
	}
}

// drop removes a member.
func (m *mapping) drop(name string) {
	for i := 0; i+1 < len(m.node.Content); i += 2 {
		if m.node.Content[i].Value == name {
			m.node.Content = slices.Delete(m.node.Content, i, i+2)
			return
		}
	}
}

// guessMark begins the comment on what is guessed.
const guessMark = "guessed: "

// text returns the mapping as YAML.
func (m *mapping) text() string {
	var text bytes.Buffer
	_ = writeYAML(&text, m.node)
	return text.String()
}

// get returns the value of a member, or nil.
func (m *mapping) get(name string) *yaml.Node {
	for i := 0; i+1 < len(m.node.Content); i += 2 {
		if m.node.Content[i].Value == name {
			return m.node.Content[i+1]
		}
	}
	return nil
}

// has reports whether a member is set.
func (m *mapping) has(name string) bool { return m.get(name) != nil }

// sequence is a list of mappings under way.
type sequence struct{ node *yaml.Node }

func newSequence(items ...*mapping) *sequence {
	s := &sequence{&yaml.Node{Kind: yaml.SequenceNode}}
	for _, m := range items {
		s.add(m)
	}
	return s
}

func (s *sequence) add(m *mapping) { s.node.Content = append(s.node.Content, m.node) }

// addTexts adds a list of texts.
func (s *sequence) addTexts(texts ...string) { s.node.Content = append(s.node.Content, nodeOf(texts)) }

// addGuessed adds a mapping of which nothing more is known than that there is one. Without a reason it does not mark
// it.
func (s *sequence) addGuessed(m *mapping, reason string) {
	if reason != "" {
		m.node.HeadComment = guessMark + reason
	}
	s.add(m)
}

// nodeOf returns a value as YAML, or nil if it is empty.
func nodeOf(value any) *yaml.Node {
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		if v == "" {
			return nil
		}
		return scalar(v)
	case bool:
		if !v {
			return nil
		}
		return plain("true", "!!bool")
	case int:
		return nodeOf(int64(v))
	case int64:
		if v == 0 {
			return nil
		}
		return plain(strconv.FormatInt(v, 10), "!!int")
	case []string:
		s := newSequence()
		for _, text := range v {
			s.node.Content = append(s.node.Content, scalar(text))
		}
		return nodeOf(s)
	case *sequence:
		if v == nil || len(v.node.Content) == 0 {
			return nil
		}
		return v.node
	case *mapping:
		if v.isEmpty() {
			return nil
		}
		return v.node
	case jsontree.Value:
		if !v.Exists() || v.IsNull() {
			return nil
		}
		return jsonNode(v)
	case *yaml.Node:
		return v
	}
	panic("learn: no form for such a value")
}

// jsonNode returns a JSON value as YAML, with the members in their order.
func jsonNode(v jsontree.Value) *yaml.Node {
	switch {
	case v.IsObject():
		m := newMapping()
		for value := range v.Each {
			m.node.Content = append(m.node.Content, scalar(value.Name()), jsonNode(value))
		}
		return m.node
	case v.IsArray():
		s := newSequence()
		for item := range v.List {
			s.node.Content = append(s.node.Content, jsonNode(item))
		}
		return s.node
	case v.IsString():
		return scalar(v.Text())
	case v.IsNumber():
		tag := "!!float"
		if !strings.ContainsAny(v.Raw(), ".eE") {
			tag = "!!int"
		}
		return plain(v.Raw(), tag)
	case v.IsBool():
		return plain(v.Raw(), "!!bool")
	}
	return plain("null", "!!null")
}

func plain(text, tag string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

// scalar returns a text as YAML: in several lines if it has such.
func scalar(text string) *yaml.Node {
	if isTimestamp.MatchString(text) {
		return plain(text, "!!timestamp")
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: clean(text)}
	if strings.Contains(n.Value, "\n") && isPrintable(n.Value) {
		n.Style = yaml.LiteralStyle
	}
	return n
}

// isTimestamp matches times as scenarios have them, which need no quotes.
var isTimestamp = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$`)

// isPrintable reports whether a text can stand in a block of lines.
func isPrintable(text string) bool {
	if !utf8.ValidString(text) || strings.HasPrefix(text, " ") || strings.Contains(text, " \n") {
		return false
	}
	for _, r := range text {
		if r < ' ' && r != '\n' || r == '\ufeff' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// maxFlow is the length of a mapping or a list that is written in one line.
const maxFlow = 100

// write writes the scenario as a person would: short mappings and lists of plain values in one line.
func (l *learner) write(root *mapping) ([]byte, error) {
	shorten(root.node, 0)
	l.guesses = nil
	l.listGuesses(root.node, "")
	var text bytes.Buffer
	err := writeYAML(&text, root.node)
	return text.Bytes(), err
}

// writeYAML writes YAML in the style of the scenarios that come with the mock.
func writeYAML(w io.Writer, node *yaml.Node) error {
	dumper, err := yaml.NewDumper(w, yaml.WithIndent(2), yaml.WithCompactSeqIndent(true), yaml.WithLineWidth(-1))
	if err != nil {
		return err
	}
	return errors.Join(dumper.Dump(node), dumper.Close())
}

// shorten sets the style of what fits in a line.
func shorten(n *yaml.Node, depth int) {
	if n.Kind == yaml.ScalarNode {
		return
	}
	if depth > 1 && lengthOf(n) <= maxFlow-2*depth {
		n.Style = yaml.FlowStyle
		return
	}
	for _, child := range n.Content {
		shorten(child, depth+1)
	}
}

// lengthOf returns about how long a node is in one line, or very much if it must have several.
func lengthOf(n *yaml.Node) int {
	const never = 1 << 20
	if n.HeadComment != "" || n.Style == yaml.LiteralStyle {
		return never
	}
	length := len(n.Value) + 2
	for _, child := range n.Content {
		if length += lengthOf(child) + 2; length >= never {
			return never
		}
	}
	return length
}

// listGuesses lists what is guessed, with its place.
func (l *learner) listGuesses(n *yaml.Node, path string) {
	note := func(comment, at string) {
		if reason, found := strings.CutPrefix(comment, guessMark); found {
			l.guesses = append(l.guesses, Guess{strings.TrimPrefix(at, "."), reason})
		}
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			at := path + "." + n.Content[i].Value
			note(n.Content[i].HeadComment, at)
			l.listGuesses(n.Content[i+1], at)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			at := path + "[" + strconv.Itoa(i) + "]"
			note(item.HeadComment, at)
			l.listGuesses(item, at)
		}
	}
}

// instant reads the forms of time that the interfaces have.
func instant(text string) time.Time {
	for _, form := range []string{
		time.RFC3339Nano, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05",
	} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// timeText returns a time as a scenario has it, or the empty text for none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// timeOf returns a time of an object as a scenario has it, or the empty text.
func timeOf(v jsontree.Value) string { return timeText(instant(v.Text())) }

var mark = regexp.MustCompile(`\[redacted(?::([0-9a-f]+))?\]`)

// clean returns a text with a word in the place of each secret.
func clean(text string) string { return mark.ReplaceAllString(text, "redacted-$1") }

// isRedacted reports whether a text is a secret, of which nothing is left.
func isRedacted(text string) bool {
	return len(text) >= len(recording.Mark) && mark.FindString(text) == text
}

// ids returns an id as a number where it is one, as the house writes them.
func idOf(text string) any {
	if n := number(text); n > 0 && strconv.FormatInt(n, 10) == text {
		return n
	}
	return text
}

// lengthText returns a length of time as a scenario has it, in whole milliseconds.
func lengthText(d time.Duration) string { return max(0, d.Round(time.Millisecond)).String() }

// durationText returns a length of time as a scenario has it, in whole milliseconds, or the empty text for none.
func durationText(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return lengthText(d)
}
