package checkflags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Choice is the value of a flag that takes one of a few words.
type Choice struct {
	Word  string // the default, until the flag is given
	Words []string
}

// ChoiceOf returns a choice of words, of which the first one is the default.
func ChoiceOf(list ...string) Choice { return Choice{Word: list[0], Words: list} }

func (c *Choice) String() string { return c.Word }

// Type implements pflag.Value.
func (c *Choice) Type() string { return strings.Join(c.Words, "|") }

// Set implements pflag.Value.
func (c *Choice) Set(word string) error {
	if !slices.Contains(c.Words, word) {
		return fmt.Errorf("want %s", source.OneOf(word, c.Words))
	}
	c.Word = word
	return nil
}

// Pairs is the value of a repeatable flag that gives something to an interface: NAME=WHAT.
type Pairs struct {
	What     string
	Many     bool // one interface may be given several
	List     [][2]string
	Overlays [][2]string // of --spec: an interface, or nothing, and a file
}

func (p *Pairs) String() string { return "" }

// Type implements pflag.Value.
func (p *Pairs) Type() string { return "NAME=" + p.What }

// Set implements pflag.Value.
func (p *Pairs) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || value == "" {
		return fmt.Errorf("want %s, as in %s=%s", p.Type(), specs.Workflow, p.example())
	}
	if err := specs.CheckName(specs.Interface(name)); err != nil {
		return err
	}
	if !p.Many && slices.ContainsFunc(p.List, func(other [2]string) bool { return other[0] == name }) {
		return fmt.Errorf("interface %s is given twice", name)
	}
	p.List = append(p.List, [2]string{name, value})
	return nil
}

func (p *Pairs) example() string {
	switch p.What {
	case "URL":
		return "https://workflow.example.com"
	case "FILE":
		return "workflow.yaml"
	}
	return "127.0.0.1:4011"
}

// overlays is the value of a repeatable flag that changes documents: [NAME=]FILE.
type overlays struct{ of *Pairs }

func (o overlays) String() string {
	if o.of == nil {
		return ""
	}
	list := make([]string, len(o.of.Overlays))
	for i, pair := range o.of.Overlays {
		list[i] = strings.TrimPrefix(pair[0]+"="+pair[1], "=")
	}
	return strings.Join(list, " ")
}

func (o overlays) Type() string { return "string" }

func (o overlays) Set(text string) error {
	name, file, found := SplitOverlay(text)
	if file == "" || found && specs.CheckName(specs.Interface(name)) != nil {
		return fmt.Errorf("want [NAME=]FILE, as in shop=resources.yaml, not %q", text)
	}
	o.of.Overlays = append(o.of.Overlays, [2]string{name, file})
	return nil
}

// SplitOverlay returns the interface and the file of an overlay. A file whose path has an = needs the interface.
func SplitOverlay(text string) (name, file string, found bool) {
	if name, file, found = strings.Cut(text, "="); !found {
		return "", text, false
	}
	return name, file, true
}

// Documents returns options for the documents of users, and for their overlays.
func Documents[Option any](p *Pairs, spec, overlay func(specs.Interface, string) Option) (opts []Option) {
	for _, pair := range p.List {
		opts = append(opts, spec(specs.Interface(pair[0]), pair[1]))
	}
	for _, pair := range p.Overlays {
		opts = append(opts, overlay(specs.Interface(pair[0]), pair[1]))
	}
	return opts
}

// Files lists the documents of users, and their overlays.
func (p *Pairs) Files() (read []File) {
	for _, pair := range p.List {
		read = append(read, File{pair[1], "the document " + pair[1]})
	}
	for _, pair := range p.Overlays {
		read = append(read, File{pair[1], "the overlay " + pair[1]})
	}
	return read
}

// Documents returns the documents of the interfaces, among them those that users give, as overlays change them. Only
// lists the interfaces, unless it is empty.
func (p *Pairs) Documents(only []string, brand string) (*specs.Set, error) {
	return specs.SetOf(p.List, p.Overlays, only, specs.Brand(brand))
}

// KnownInterface returns an error if a name is not one of those of interfaces.
func KnownInterface(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("unknown interface %q; want %s", name, source.OneOf(name, names))
}

// List is the value of a repeatable flag whose texts a function reads.
type List[T any] struct {
	Values []T

	what  string // in the form of the flag, such as FROM=TO
	read  func(text string) (T, error)
	texts []string
}

// ListOf returns the value of a repeatable flag, without any value yet.
func ListOf[T any](what string, read func(text string) (T, error)) List[T] {
	return List[T]{what: what, read: read}
}

func (l *List[T]) String() string { return "" }

// Type implements pflag.Value.
func (l *List[T]) Type() string { return l.what }

// Set implements pflag.Value.
func (l *List[T]) Set(text string) error {
	value, err := l.read(text)
	if err == nil {
		l.Values, l.texts = append(l.Values, value), append(l.texts, text)
	}
	return err
}

// GetSlice lists the values as they were given.
func (l *List[T]) GetSlice() []string { return l.texts }

// Rewrites is the value of a repeatable flag that replaces the prefixes of addresses: FROM=TO.
type Rewrites struct{ List[[2]string] }

// Add adds the flag to those of a command that reads recordings.
func (r *Rewrites) Add(flags *pflag.FlagSet) {
	r.List = ListOf("FROM=TO", func(text string) ([2]string, error) {
		from, to, found := strings.Cut(text, "=")
		if !found || from == "" || to == "" {
			return [2]string{}, errors.New(
				"want FROM=TO, as in /gw/wf=https://workflow.example.com or /v1/tenant-*=/")
		}
		return [2]string{from, to}, contract.CheckRewrite(from, to)
	})
	flags.Var(r, "rewrite",
		"judge addresses that begin with FROM as if they began with TO: a path on any host, or a URL;\n"+
			"hosts and segments of FROM may be patterns, the first that matches applies (repeatable)")
}

// Options returns the options that the flag describes.
func (r *Rewrites) Options() []contract.Option {
	return (&Options{Rewrites: r.Values}).repeated()
}

// limit is the longest time that an operation may take.
type limit struct {
	operation string
	most      time.Duration
}

// readLimit reads OPERATION=DURATION.
func readLimit(text string) (limit, error) {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return limit{}, errors.New("want OPERATION=DURATION, as in workflow.listPools=300ms")
	}
	most, err := time.ParseDuration(value)
	if err != nil || most <= 0 {
		return limit{}, fmt.Errorf("want a time above 0 with its unit, as in 300ms, 1.5s or 2m, not %q", value)
	}
	return limit{name, most}, nil
}

// Minimums is the value of a repeatable flag: AXIS=PERCENT.
type Minimums struct{ List[report.Threshold] }

// Add adds the flag to those of a command.
func (m *Minimums) Add(flags *pflag.FlagSet) {
	m.List = ListOf("AXIS=PERCENT", readMinimum)
	flags.Var(m, "min",
		"fail when coverage of an axis is below a percentage; the axes are operations, requests, responses,\n"+
			"parameters, enums, properties and rules (repeatable)")
}

func readMinimum(text string) (t report.Threshold, err error) {
	axis, number, found := strings.Cut(text, "=")
	if !found {
		return t, fmt.Errorf("want AXIS=PERCENT, as in %s=80", report.Operations)
	}
	if !slices.Contains(report.Axes(), axis) {
		return t, fmt.Errorf("unknown axis of coverage %q; want %s", axis, source.OneOf(axis, report.Axes()))
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(number, "%"), 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return t, fmt.Errorf("want a percentage between 0 and 100, not %q", number)
	}
	return report.Threshold{Axis: axis, Want: percent}, nil
}
