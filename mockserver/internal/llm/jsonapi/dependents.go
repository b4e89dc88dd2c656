package jsonapi

import (
	"fmt"
	"strings"
)

// Dependents holds the resources of one kind that refer to a resource to be deleted.
type Dependents struct {
	Plural string
	Meta   string // the member of an error's meta that lists them, or empty
	List   []Identifier
}

// RequireUnused refuses a deletion while there are dependents, and names them all.
func RequireUnused(kinds ...Dependents) error {
	meta := map[string]any{}
	var reasons []string
	for _, d := range kinds {
		if len(d.List) == 0 {
			continue
		}
		references, ids := make([]referrer, len(d.List)), make([]string, len(d.List))
		for i, one := range d.List {
			references[i], ids[i] = referrer{one.ID}, one.ID
		}
		reasons = append(reasons, fmt.Sprintf("%s (%s)", d.Plural, strings.Join(ids, ", ")))
		if d.Meta != "" {
			meta[d.Meta] = references
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	err := UnprocessableResource(inUse, "it cannot be deleted while these refer to it: %s", strings.Join(reasons, ", "))
	err.Details = meta
	return err
}

// referrer is a resource that refers to another, in an error's meta.
type referrer struct {
	ID string `json:"id"`
}
