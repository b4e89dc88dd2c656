package specs

import (
	"fmt"
	"slices"
)

// The extras of an interface are what nearly every client calls around the operations of the catalogue: a version
// check, imports of tables, users and their keys, lists of events. They stand in a document of their
// own beside that of the interface,
// marked with x-extra, and are never counted among the operations of the platform.
const extrasFolder = "extras/"

// extraExtension marks a document of extras.
const extraExtension = "x-extra"

// Extras lists the names under which Source and Load know the documents of extras.
func Extras() []Interface {
	return []Interface{extrasFolder + Ingestion, extrasFolder + Core, extrasFolder + Workflow}
}

// extrasOf returns the extras of an interface, or nil if it has none. The text to parse is what read makes of the
// source.
func extrasOf(iface Interface, brand Brand, read readSource) (*Document, error) {
	name := extrasFolder + iface
	if !slices.Contains(Extras(), name) {
		return nil, nil
	}
	source, err := Source(name, brand)
	if err != nil {
		return nil, err
	}
	doc, err := parse(iface, string(name)+".yaml", read(name, source, brand), brand, nil)
	if err != nil {
		return nil, err
	}
	doc.setSource(source)
	if doc.T.Extensions[extraExtension] != true {
		return nil, fmt.Errorf("load %s: want %s: true at the top", doc.File, extraExtension)
	}
	return doc, nil
}

// WithoutExtras returns the same document with no extras beside it.
func (d *Document) WithoutExtras() *Document {
	if d.Extras == nil {
		return d
	}
	own := *d
	own.Extras = nil
	return &own
}

// All lists the operations of the document, and then those of its extras.
func (d *Document) All() []*Operation {
	if d.Extras == nil {
		return d.Operations
	}
	return slices.Concat(d.Operations, d.Extras.Operations)
}

// IsExtra reports whether the operation is one of the extras.
func (o *Operation) IsExtra() bool { return o.Document.T.Extensions[extraExtension] == true }

// Find returns the operation of a request: one of the document, or else one of its extras. The path is the escaped one,
// below the document's base path; empty segments and a trailing slash make no difference. A parameter
// that is empty or holds a broken
// escape fits nothing.
func (d *Document) Find(method, escapedPath string) Match {
	m := d.router.find(method, escapedPath)
	if m.Operation == nil && d.Extras != nil {
		if extra := d.Extras.router.find(method, escapedPath); extra.Operation != nil || m.Allow == "" {
			return extra
		}
	}
	return m
}
