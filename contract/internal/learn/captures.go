package learn

import (
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/internal/jsontree"
)

// capture keeps the ids of what was made while the recording ran, for the requests that name it later.
func (s *storyteller) capture(e *Exchange, t *compare.Translation) {
	if !e.ok() {
		return
	}
	answer, err := body.DecodeJSON([]byte(e.answer().Raw()))
	if err != nil {
		return
	}
	for _, shown := range t.IDs(e.Result, answer) {
		entity := s.entities.find(shown.Kind, shown.ID)
		at := nameOf(shown.Kind, shown.ID)
		isOld := s.fixed[shown.ID]
		if entity != nil {
			isOld = entity.wasThere() || !isServerMade(shown.ID) && isOld
		}
		if isOld || s.captured[at] || !s.isNamed(shown.ID, e) || !s.showsNow(e, &shown) {
			continue
		}
		s.captured[at] = true
		name := s.variable(shown.Kind)
		s.line("capture %s %s", name, quiet(shown.Path))
		for _, translation := range s.translations {
			translation.Set(shown.Kind, shown.ID, "$"+name)
		}
	}
	s.captureCursors(e)
}

// showsNow reports whether the answer of a mock of the scenario shows the same entity at the same place: where the
// answers differ, another one may stand there.
func (s *storyteller) showsNow(e *Exchange, id *compare.ShownID) bool {
	return !slices.ContainsFunc(s.answersNow(e), func(now *compare.Exchange) bool {
		return jsontree.Find(now.Answer.Body, id.Path).Text() != now.Counterpart(id.Kind, id.ID)
	})
}

// hasNow reports whether the answer of a mock of the scenario has a value, too.
func (s *storyteller) hasNow(e *Exchange, path string) bool {
	return !slices.ContainsFunc(s.answersNow(e), func(now *compare.Exchange) bool {
		return !jsontree.Find(now.Answer.Body, path).Exists()
	})
}

// captureCursors keeps the cursors that later requests have.
func (s *storyteller) captureCursors(e *Exchange) {
	for value := range e.answer().Each {
		name, path, cursor := value.Name(), jsontree.Escape(value.Name()), value.Text()
		isValue := value.IsString() || value.IsNumber()
		if isValue && isCursor.MatchString(name) && s.cursors[cursor] == "" && s.isNamed(cursor, e) && s.hasNow(e, path) {
			s.cursors[cursor] = s.variable("." + name)
			s.line("capture %s %s", s.cursors[cursor], quiet(path))
		}
	}
}

// isNamed reports whether a later request has a value that may be an id.
func (s *storyteller) isNamed(value string, since *Exchange) bool { return s.named[value] > since.N }

// variable returns a name for a new entity.
func (s *storyteller) variable(kind string) string {
	_, word, _ := strings.Cut(kind, ".")
	base := strings.ToUpper(strings.ReplaceAll(word, "-", "_"))
	name := base
	for n := 2; s.variables[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	s.variables[name] = true
	return name
}
