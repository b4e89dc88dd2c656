package specdiff

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

	"svc.example/understudy/contract/report"
)

// Report lists what changed between two documents, and what the changes break.
type Report struct {
	Old     string   `json:"old"`
	New     string   `json:"new"`
	Changes []Change `json:"changes"`

	Judged    bool `json:"judged"`    // by recordings
	Exchanges int  `json:"exchanges"` // of the recordings that belong to the old document
	Callers   int  `json:"callers"`   // by their keys, or else by their User-Agent

	Shapes  []Broken `json:"shapes,omitempty"`  // snapshots that only the old document fits
	Stories []Broken `json:"stories,omitempty"` // that play on a mock of the old document alone
}

// Broken is a file of a user that a change breaks.
type Broken struct {
	File      string `json:"file"`
	Operation string `json:"operation,omitempty"`
	Reason    string `json:"reason"`
}

// Breaking counts the changes that break clients: those that recordings show to be used, or might be without
// recordings, and the others.
func (r *Report) Breaking() (used, unused int) {
	for i := range r.Changes {
		switch c := &r.Changes[i]; {
		case !c.IsBreaking():
		case c.IsUsed():
			used++
		default:
			unused++
		}
	}
	return used, unused
}

// group is the changes of one loudness.
type group struct {
	title   string
	changes []*Change
}

// groups parts the changes, from the loudest.
func (r *Report) groups() []group {
	list := []group{{title: "breaking"}, {title: "breaking, not used"}, {title: "warning"}, {title: "notice"}}
	if r.Judged {
		list[0].title = "breaking, used"
	}
	for i := range r.Changes {
		at, c := 3, &r.Changes[i]
		switch {
		case c.IsBreaking() && c.IsUsed():
			at = 0
		case c.IsBreaking():
			at = 1
		case c.Severity == report.Warning:
			at = 2
		}
		list[at].changes = append(list[at].changes, c)
	}
	return list
}

// Summary returns the numbers of changes in one line.
func (r *Report) Summary() string {
	var numbers []string
	for _, g := range r.groups() {
		if n := len(g.changes); n > 0 {
			numbers = append(numbers, fmt.Sprintf("%d %s", n, g.title))
		}
	}
	text := r.Old + " → " + r.New + ": no changes"
	if numbers != nil {
		text = r.Old + " → " + r.New + ": " + strings.Join(numbers, "; ")
	}
	if r.Judged {
		text += fmt.Sprintf(" (in %s%s)", plural(r.Exchanges, "exchange"), ofCallers(r.Callers))
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, isY := strings.CutSuffix(noun, "y"); isY {
		noun = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func ofCallers(n int) string {
	if n == 0 {
		return ""
	}
	return " of " + plural(n, "caller")
}

// Text returns who uses what changed, such as "shown in 3 of 40 answers, by 1 of 2 callers, first in exchange 7".
func (u *Use) Text() string {
	noun := "request"
	if u.What == shown {
		noun = "answer"
	}
	text := fmt.Sprintf("%s in %d of %s", u.What, u.Exchanges, plural(u.Of, noun))
	if u.What == called {
		text = "called in " + plural(u.Exchanges, "exchange")
	}
	switch {
	case u.Exchanges == 0:
		return text + ofCallers(u.OfCallers)
	case u.OfCallers > 0:
		text += fmt.Sprintf(", by %d of %s", u.Callers, plural(u.OfCallers, "caller"))
	}
	return text + fmt.Sprintf(", first in exchange %d", u.First)
}

func (c *Change) where() string {
	return strings.TrimSpace(c.Operation + " " + c.Place)
}

// maxPlaces is the number of places that a report shows of one change.
const maxPlaces = 10

// origins parts the changes of a group by what they come from: one change of a schema shows wherever it is referred to.
func (g *group) origins() (list [][]*Change) {
	type origin struct {
		kind, message, file, pointer, last string
	}
	at := map[origin]int{}
	for _, c := range g.changes {
		i, isKnown := len(list), false
		if c.Spec != nil && c.Place != "" {
			o := origin{c.Kind, c.Message, c.Spec.File, c.Spec.Pointer, path.Base(c.Place)}
			if i, isKnown = at[o]; !isKnown {
				i = len(list)
				at[o] = i
			}
		}
		if !isKnown {
			list = append(list, nil)
		}
		list[i] = append(list[i], c)
	}
	return list
}

// line returns where a document says it, such as "shop.yaml:12".
func (c *Change) line() string {
	if c.Spec == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", c.Spec.File, c.Spec.Line)
}

// textOf returns a change with its places for people.
func textOf(changes []*Change) string {
	var b strings.Builder
	c := changes[0]
	in := ""
	if c.Spec != nil {
		in = "  (" + c.line() + ")"
	}
	if len(changes) == 1 {
		fmt.Fprintf(&b, "  %s: %s%s\n", c.where(), c.Message, in)
		if c.Use != nil {
			fmt.Fprintf(&b, "    %s\n", c.Use.Text())
		}
		return b.String()
	}
	fmt.Fprintf(&b, "  %s: %s%s\n", strings.TrimPrefix(c.Spec.Pointer, "/components"), c.Message, in)
	for i, c := range changes {
		switch {
		case i == maxPlaces:
			fmt.Fprintf(&b, "    and %s\n", plural(len(changes)-i, "more place"))
			return b.String()
		case c.Use != nil:
			fmt.Fprintf(&b, "    %s: %s\n", c.where(), c.Use.Text())
		default:
			fmt.Fprintf(&b, "    %s\n", c.where())
		}
	}
	return b.String()
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString(r.Summary() + "\n")
	for _, g := range r.groups() {
		if len(g.changes) > 0 {
			fmt.Fprintf(&b, "\n%s\n", g.title)
		}
		for _, changes := range g.origins() {
			b.WriteString(textOf(changes))
		}
	}
	for _, broken := range r.broken() {
		fmt.Fprintf(&b, "\n%s\n", broken.title)
		for _, one := range broken.list {
			fmt.Fprintf(&b, "  %s: %s\n", one.File, one.Reason)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type brokenFiles struct {
	title string
	list  []Broken
}

func (r *Report) broken() (list []brokenFiles) {
	if len(r.Shapes) > 0 {
		list = append(list, brokenFiles{"snapshots of shapes that break", r.Shapes})
	}
	if len(r.Stories) > 0 {
		list = append(list, brokenFiles{"stories that break", r.Stories})
	}
	return list
}

// WriteMarkdown writes the report for a pull request.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n", cell(r.Summary()))
	for _, g := range r.groups() {
		if len(g.changes) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n**%s**\n\n| operation | place | change | use | line |\n|---|---|---|---|---|\n", g.title)
		for _, changes := range g.origins() {
			b.WriteString(rowOf(changes))
		}
	}
	for _, broken := range r.broken() {
		fmt.Fprintf(&b, "\n**%s**\n\n", broken.title)
		for _, one := range broken.list {
			fmt.Fprintf(&b, "- %s: %s\n", cell(one.File), cell(one.Reason))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// rowOf returns the row of a change, with a line in its cells for each place.
func rowOf(changes []*Change) string {
	var operations, places, uses []string
	for i, c := range changes {
		if i == maxPlaces {
			operations = append(operations, "and "+plural(len(changes)-i, "more place"))
			break
		}
		operations, places = append(operations, cell(c.Operation)), append(places, cell(c.Place))
		if c.Use != nil {
			uses = append(uses, cell(c.Use.Text()))
		}
	}
	lines := func(list []string) string { return strings.Join(list, "<br>") }
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n",
		lines(operations), lines(places), cell(changes[0].Message), lines(uses), cell(changes[0].line()))
}

// cell returns a text as it may stand in a table.
func cell(text string) string {
	escaped := strings.NewReplacer("\\", `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "\n", " ")
	return escaped.Replace(text)
}

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// Outcome returns in one line what breaks.
func (r *Report) Outcome() string {
	used, unused := r.Breaking()
	text := plural(used+unused, "breaking change")
	if r.Judged {
		text += fmt.Sprintf(", %d of them used", used)
	}
	if len(r.Shapes) > 0 {
		text += ", " + plural(len(r.Shapes), "broken snapshot")
	}
	if len(r.Stories) > 0 {
		text += ", " + plural(len(r.Stories), "broken story")
	}
	return text
}
