package specs

import (
	"fmt"
	"maps"
	"slices"

	"svc.example/understudy/specs/source"
)

// Set is a set of documents: those of the platform, and a user's own in their places or beside them. The zero value
// has all of the platform's.
type Set struct {
	Files map[Interface]string // of the user's own
	Only  []Interface          // nil: all
	Brand Brand
}

// SetOf returns the set with the documents that flags give: pairs of a name and a file.
func SetOf(own [][2]string, only []string, brand Brand) *Set {
	s := &Set{Files: map[Interface]string{}, Brand: brand}
	for _, pair := range own {
		s.Files[Interface(pair[0])] = pair[1]
	}
	if len(only) > 0 {
		s.Only = InterfacesOf(only)
	}
	return s
}

// Names lists the interfaces of the set: the platform's in the order of its documentation, and then those of the
// user's own by their names.
func (s *Set) Names() []Interface {
	names := Interfaces()
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if name.IsOwn() {
			names = append(names, name)
		}
	}
	if s.Only == nil {
		return names
	}
	return slices.DeleteFunc(names, func(name Interface) bool { return !slices.Contains(s.Only, name) })
}

// Load returns the document of an interface. It is parsed once in a process.
func (s *Set) Load(name Interface) (*Document, error) {
	if file, isOwn := s.Files[name]; isOwn {
		return LoadFile(name, file, s.Brand)
	}
	if name.IsOwn() {
		return nil, s.Check(name)
	}
	return Load(name, s.Brand)
}

// Readable returns the document of an interface with the texts and examples that people read.
func (s *Set) Readable(name Interface) (*Document, error) {
	file, isOwn := s.Files[name]
	if !isOwn {
		return Readable(name, s.Brand)
	}
	text, err := source.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("document of %s: %w", name, err)
	}
	return Parse(name, file, text, s.Brand)
}

// Check returns an error if the set lacks an interface.
func (s *Set) Check(name Interface) error {
	names := s.Names()
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("unknown interface %q; want %s", name, source.OneOf(string(name), NamesOf(names)))
}
