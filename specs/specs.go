// Package specs holds the OpenAPI documents that everything else is driven by, and answers the questions that the
// mock server and the contract suite ask of them: which operation does a request belong to, which schema judges
// its answer, where does a fact stand, and how sure are we of it.
//
// It imports nothing of this module but the files, so that the mock and the contract suite, which never import each
// other, stand on the same ground.
package specs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"svc.example/understudy"
)

// Interface is the name of an interface, and of its document.
type Interface string

// The interfaces of the platform, and the control interface of the mock itself. The constants have no type, so that
// they are names and plain text.
const (
	Ingestion = "ingestion"
	Audience  = "audience"
	DWH       = "dwh"
	Core      = "core"
	LLM       = "llm"
	Workflow  = "workflow"
	Control   = "control"
)

// Interfaces lists the six interfaces of the platform in the order of its documentation.
func Interfaces() []Interface { return []Interface{Ingestion, Audience, DWH, Core, LLM, Workflow} }

// InterfaceNames lists the six interfaces as plain text.
func InterfaceNames() []string { return NamesOf(Interfaces()) }

// InterfacesOf returns plain names as those of interfaces.
func InterfacesOf(names []string) []Interface {
	list := make([]Interface, len(names))
	for i, name := range names {
		list[i] = Interface(name)
	}
	return list
}

// NamesOf returns the names of interfaces as plain text.
func NamesOf(interfaces []Interface) []string {
	list := make([]string, len(interfaces))
	for i, name := range interfaces {
		list[i] = string(name)
	}
	return list
}

// IsOwn reports whether an interface belongs to neither the platform nor the mock: its document is a user's own.
func (i Interface) IsOwn() bool {
	return i != Control && !strings.HasPrefix(string(i), extrasFolder) && !slices.Contains(Interfaces(), i)
}

// ownName matches the names that a user may give an interface: they stand in paths, host names and variables of the
// environment.
var ownName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// maxName bounds the length of an interface's name, which is a label of host names.
const maxName = 63

// CheckName refuses what no interface can be called.
func CheckName(name Interface) error {
	if name == Control || len(name) > maxName || !ownName.MatchString(string(name)) {
		return fmt.Errorf("an interface cannot be called %q: want lower-case letters, digits and single hyphens, "+
			"beginning with a letter, such as shop; control is taken", name)
	}
	return nil
}

// Entry is one line of the catalogue: an operation of the platform.
type Entry struct {
	Interface        Interface
	ID, Method, Path string
}

// Name returns the operation's name everywhere: in reports, counts, filters and tests, such as workflow.deletePool.
func (e Entry) Name() string { return string(e.Interface) + "." + e.ID }

// Catalogue lists the operations of the platform, in the order of its documentation. It is written anew from the
// documents by a test, which puts operations that it lacks behind those that it has.
func Catalogue() []Entry {
	var entries []Entry
	for line := range strings.Lines(understudy.Operations) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		iface, id, _ := strings.Cut(fields[0], ".")
		entries = append(entries, Entry{Interface: Interface(iface), ID: id, Method: fields[1], Path: fields[2]})
	}
	return entries
}

// Source returns the YAML text of an interface's document, with the brand in place of the neutral word.
func Source(name Interface, brand Brand) ([]byte, error) {
	source, err := understudy.Documents.ReadFile("specs/" + string(name) + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("unknown interface %q; want one of %s", name,
			strings.Join(append(InterfaceNames(), Control), ", "))
	}
	if name == Control {
		return source, nil
	}
	return brand.Apply(source), nil
}
