package world_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// FuzzLoad loads bytes that no world has dumped.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"understudy":2,"digest":"x","now":"2026-01-15T00:00:00Z","ids":[{"key":"user","value":1}]}`))
	f.Add([]byte(`{"understudy":2,"now":"2026-01-15T00:00:00Z","workflow":{"Pools":{"1":{"id":1}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if forged, err := world.Forge(data); err == nil {
			data = forged
		}
		w, err := world.Load(bytes.NewReader(data), clock.Frozen)
		if err != nil {
			return
		}
		again, err := load(dumpOf(t, &w))
		if err != nil || dumpOf(t, &again) != dumpOf(t, &w) {
			t.Errorf("it does not come back: %v", err)
		}
	})
}

// hostileValues are values that no handler writes.
var hostileValues = []string{
	"-1", "0", "9223372036854775807", `""`, `"x"`, "null", "true", `"9998-12-31T23:59:59Z"`, `"0001-01-01T00:00:00Z"`,
	"[]", "{}",
}

// FuzzForged puts a value in another's place in the dump of a world, with a digest that fits. The server refuses it, or
// serves a world that is nonsense; it does not end.
func FuzzForged(f *testing.F) {
	s, err := mockserver.New(mockserver.WithScenario("full-account"), mockserver.WithClock("auto"),
		mockserver.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		f.Fatal(err)
	}
	dump, err := s.World("").State()
	if err != nil {
		f.Fatal(err)
	}
	dump = bytes.TrimSuffix(bytes.TrimPrefix(dump, []byte(`{"state":`)), []byte("}\n"))
	values := valuesOf(f, dump)
	for i := range 40 {
		f.Add(uint(i*len(values)/40), hostileValues[i%len(hostileValues)])
	}
	f.Fuzz(func(t *testing.T, at uint, value string) {
		place := values[at%uint(len(values))]
		if !jsontext.Value(value).IsValid() {
			return
		}
		forged, err := world.Forge(slices.Concat(dump[:place[0]], []byte(value), dump[place[1]:]))
		if err != nil {
			return
		}
		fixture := slices.Concat([]byte(`{"state":`), forged, []byte("}"))
		if err := s.World("").Load(fixture); err != nil {
			return
		}
		ask(t, s, "POST /_understudy/worlds/default/clock", `{"advance":"48h"}`)
		for _, path := range readable() {
			ask(t, s, "GET "+path, "")
		}
	})
}

// valuesOf returns where the values in a text begin and end, except those of the header.
func valuesOf(f *testing.F, text []byte) (all [][2]int) {
	f.Helper()
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return all[2:]
		}
		kind, n := d.StackIndex(d.StackDepth())
		name := kind == jsontext.KindBeginObject && n%2 == 1
		end := int(d.InputOffset())
		switch token.Kind() {
		case jsontext.KindString, jsontext.KindNumber, jsontext.KindTrue, jsontext.KindFalse, jsontext.KindNull:
			if begin := end - len(raw(token)); !name {
				all = append(all, [2]int{begin, end})
			}
		}
	}
}

// raw is a token as a dump has it.
func raw(token jsontext.Token) string {
	if token.Kind() != jsontext.KindString {
		return token.String()
	}
	text, _ := jsontext.AppendQuote(nil, token.String())
	return string(text)
}

// readable lists the paths of everything that can be read.
func readable() (paths []string) {
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	for _, iface := range specs.Interfaces() {
		doc, err := specs.Load(iface, specs.Neutral)
		if err != nil {
			continue
		}
		for _, o := range doc.Operations {
			if o.Method == http.MethodGet {
				paths = append(paths, "/"+string(iface)+parameter.ReplaceAllString(o.Path, "1"))
			}
		}
	}
	return paths
}

// ask wants an answer, whatever it is.
func ask(t *testing.T, s *mockserver.Server, request, body string) {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("Content-Type", "application/json")
	s.ServeHTTP(httptest.NewRecorder(), r)
}
