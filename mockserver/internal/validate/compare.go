package validate

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/specs"
)

// maxDifferences is the largest number of differences that are listed for one operation.
const maxDifferences = 10

// Compare lists how the answers that ours describes, which the mock gives, cannot fit a user's own document of the same
// operation. It lists only certain differences: a status or a media type that the document lacks, a member that it
// requires and ours lacks, another type, null where it is not allowed, a value that it does not list.
func Compare(own, ours *specs.Operation) []string {
	theirs := New(own)
	var found differences
	for _, status := range slices.Sorted(maps.Keys(ours.Spec.Responses.Map())) {
		code, err := strconv.Atoi(status)
		if err != nil {
			continue
		}
		documented, isThere := theirs.answer(code)
		switch {
		case !isThere && code < http.StatusBadRequest:
			found.add(status, "the status is not documented")
		case isThere:
			compareAnswers(&found, status, documented, ours.Spec.Responses.Value(status).Value)
		}
	}
	return found.list()
}

// differences holds texts, each with its statuses.
type differences struct {
	texts    []string
	statuses map[string][]string
}

func (d *differences) add(status, text string) {
	if d.statuses == nil {
		d.statuses = map[string][]string{}
	}
	if d.statuses[text] == nil {
		d.texts = append(d.texts, text)
	}
	d.statuses[text] = append(d.statuses[text], status)
}

func (d *differences) list() []string {
	var list []string
	for _, text := range d.texts {
		list = append(list, strings.Join(d.statuses[text], ", ")+": "+text)
	}
	if len(list) > maxDifferences {
		list = append(list[:maxDifferences], fmt.Sprintf("and %d more", len(list)-maxDifferences))
	}
	return list
}

func compareAnswers(found *differences, status string, theirs answer, ours *openapi3.Response) {
	if len(theirs.media) == 0 {
		if len(ours.Content) > 0 {
			found.add(status, "no body is documented")
		}
		return
	}
	for _, m := range newMedia(ours.Content, accept.Response) {
		own, isThere := theirs.media.find(m.name)
		switch {
		case !isThere:
			found.add(status, fmt.Sprintf("media type %s is not documented", m.name))
		case own.json && m.json:
			c := comparison{seen: map[[3]*openapi3.Schema]bool{}, plain: map[*openapi3.Schema]*openapi3.Schema{}, left: maxPairs}
			for _, text := range c.compareSchemas(own.schema.plain(), []*openapi3.Schema{m.schema.plain()}, "") {
				found.add(status, text)
			}
		}
	}
}
