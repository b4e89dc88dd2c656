package mockserver

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/validate"
	"svc.example/understudy/specs"
)

// ownDocument belongs to a service whose document is the user's own. Requests are validated by that document, and
// handlers are given them as ours describes them. Answers are those that ours describes; where they do not fit the
// user's document, the log says so at the start, and the journal with each of them.
type ownDocument struct {
	file   string
	ours   map[string]*validate.Operation // by id, of the operations that ours has, too
	logged sync.Map                       // operations and statuses whose answers were logged
}

func newOwnDocument(file string, doc *specs.Document) *ownDocument {
	d := &ownDocument{file: file, ours: map[string]*validate.Operation{}}
	for _, operation := range doc.All() {
		if operation.Embedded != nil {
			d.ours[operation.ID] = validate.New(operation.Embedded)
		}
	}
	return d
}

// report logs how a user's own document differs from ours, and what to do about it.
func (s *Server) report(file string, embedded, doc *specs.Document) {
	missing, extra := embedded.Compare(doc)
	log := s.log.With("interface", doc.Interface, "file", file)
	log.Info("own document", "missing", missing, "extra", extra)
	if len(missing) > 0 {
		log.Warn("the document lacks operations: they answer 404; add them if clients call them", "operations", len(missing))
	}
	if len(extra) > 0 {
		log.Warn("only this document has these operations: they answer 501; handle them yourself", "operations", extra)
	}
	for _, ignored := range doc.Ignored {
		log.Warn("a part of the document cannot be read and is not checked: correct it", "line", ignored.Line,
			"pointer", ignored.Pointer, "reason", ignored.Reason)
	}
	byDifference := map[string][]string{}
	for _, operation := range doc.Operations {
		if operation.Embedded != nil {
			if list := validate.Compare(operation, operation.Embedded); len(list) > 0 {
				text := strings.Join(list, "; ")
				byDifference[text] = append(byDifference[text], operation.ID)
			}
		}
	}
	for _, text := range slices.SortedFunc(maps.Keys(byDifference), func(a, b string) int {
		return slices.Compare(byDifference[a], byDifference[b])
	}) {
		log.Warn("responses of the mock do not match the document: they are sent unchanged, and noted in the journal; "+
			"correct the document if the platform responds like that", "operations", byDifference[text], "differences", text)
	}
}

// conform makes an answer fit the user's own document where that is possible. What does not fit is the note. An error
// status that the document lacks is noted, but not logged.
func (x *exchange) conform(a validate.Answer) (fitted validate.Answer, note string) {
	operation := x.checks[x.match.Operation.ID]
	err := operation.Answer(a)
	if err == nil {
		return a, ""
	}
	if fitted, changed := operation.Fit(a); changed {
		a = fitted
		a.SetLength()
		if err = operation.Answer(a); err == nil {
			return a, ""
		}
	}
	isRefusal := a.Status >= http.StatusBadRequest && !operation.Documents(a.Status)
	difference := differenceOf(err)
	key := x.match.Operation.ID + " " + strconv.Itoa(a.Status)
	if _, logged := x.own.logged.LoadOrStore(key, true); !logged && !isRefusal {
		x.server.log.Warn("the response does not match the document; it was sent anyway, and later ones will be as well",
			slog.String("operation", x.name()), slog.Int("status", a.Status), slog.String("file", x.own.file),
			slog.String("difference", difference))
	}
	return a, fmt.Sprintf("the response does not match %s: %s", x.own.file, difference)
}

// differenceOf returns where an answer is off a document, and which keyword says so, without the values.
func differenceOf(err error) string {
	var list []string
	for _, part := range flatten(err) {
		if said := (*op.Error)(nil); errors.As(part, &said) {
			list = append(list, strings.Trim(said.Field+": "+said.Reason, ": "))
		} else {
			list = append(list, part.Error())
		}
	}
	return strings.Join(list, "; ")
}
