package llm

import (
	"fmt"
	"strings"
)

// dependents are the resources of one kind that refer to one that is to be deleted.
type dependents struct {
	plural string
	meta   string // the member of an error's meta that lists them, if there is one
	list   []identifier
}

// requireUnused refuses a deletion while there are dependents, and names them all.
func requireUnused(kinds ...dependents) error {
	meta := map[string]any{}
	var reasons []string
	for _, d := range kinds {
		if len(d.list) == 0 {
			continue
		}
		references, ids := make([]referrer, len(d.list)), make([]string, len(d.list))
		for i, one := range d.list {
			references[i], ids[i] = referrer{one.ID}, one.ID
		}
		reasons = append(reasons, fmt.Sprintf("%s (%s)", d.plural, strings.Join(ids, ", ")))
		if d.meta != "" {
			meta[d.meta] = references
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	err := unprocessableResource(inUse, "it cannot be deleted while these refer to it: %s", strings.Join(reasons, ", "))
	err.Details = meta
	return err
}

// referrer is a resource that refers to another, in an error's meta.
type referrer struct {
	ID string `json:"id"`
}
