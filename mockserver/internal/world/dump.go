package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/table"
)

const dumpVersion = 1

// dump is a world as JSON: its rows as they are stored. What other rows tell is left out and found again on loading:
// indexes, definitions (which stand in the archives), and the queue of events (whose times stand with what they are
// for).
type dump struct {
	Understudy int              `json:"understudy"` // the version of this form
	Scenario   string           `json:"scenario"`
	Seed       uint64           `json:"seed"`
	Now        time.Time        `json:"now"`
	IDs        map[string]int64 `json:"ids"` // the last that was given out, by kind
	Account    accountDump      `json:"account"`
	Ingestion  ingestionDump    `json:"ingestion"`
	Audience   audienceDump     `json:"audience"`
	DWH        dwhDump          `json:"dwh"`
	Core       coreDump         `json:"core"`
	LLM        llmDump          `json:"llm"`
	Workflow   workflowDump     `json:"workflow"`
}

// Dump is the whole world as one JSON object, for Load. The same world gives the same bytes. API keys are in it.
func (w *World) Dump() ([]byte, error) {
	d := dump{
		Understudy: dumpVersion, Scenario: w.Scenario, Seed: w.Seed, Now: w.Now(), IDs: map[string]int64{},
		Account: w.Account.dump(), Ingestion: w.Ingestion.dump(), Audience: w.Audience.dump(), DWH: w.DWH.dump(),
		Core: w.Core.dump(), LLM: w.LLM.dump(), Workflow: w.Workflow.dump(),
	}
	maps.Insert(d.IDs, w.ids.All())
	text, err := json.Marshal(d)
	if err == nil {
		text, err = jsontext.AppendFormat(nil, text) // writes all texts alike, however clients have escaped them
	}
	if err != nil {
		return nil, fmt.Errorf("dump the world: %w", err)
	}
	return text, nil
}

func rowsOf[R any](t *table.Table[R]) []R {
	rows := make([]R, 0, t.Len())
	for _, row := range t.All() {
		rows = append(rows, row)
	}
	return rows
}

// Load makes a world out of what Dump has written, edited by hand perhaps. Its clock begins at the time of the dump.
// The error names the rows that cannot be, all of them up to a limit.
func Load(data []byte, mode clock.Mode) (World, error) {
	var d dump
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return World{}, fmt.Errorf("load the state: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return World{}, errors.New("load the state: something stands behind the end of its object")
	}
	if d.Understudy != dumpVersion {
		return World{}, fmt.Errorf("load the state: understudy is %d, want %d", d.Understudy, dumpVersion)
	}
	if d.Now.IsZero() {
		return World{}, errors.New("load the state: now is missing: want the world's time in RFC 3339")
	}
	w := World{Scenario: d.Scenario, Seed: d.Seed, Clock: clock.New(mode, d.Now)}
	l := &loader{w: &w}
	l.ids(d.IDs)
	l.account(&d.Account)
	l.core(&d.Core)
	l.ingestion(&d.Ingestion)
	l.workflow(&d.Workflow)
	l.audience(&d.Audience)
	l.dwh(&d.DWH)
	l.llm(&d.LLM)
	if len(l.errs) > 0 {
		return World{}, fmt.Errorf("load the state: %w", errors.Join(l.errs...))
	}
	return w, nil
}

// loader gathers what is wrong with a dump while it fills a world.
type loader struct {
	w    *World
	errs []error
}

const (
	maxWrong = 20
	maxID    = 1 << 53 // what every reader of JSON holds exactly
)

// wrong says what is wrong with a row, and what would be right.
func (l *loader) wrong(kind string, id any, format string, args ...any) {
	switch n := len(l.errs); {
	case n < maxWrong:
		l.errs = append(l.errs, fmt.Errorf("%s %v: %s", kind, id, fmt.Sprintf(format, args...)))
	case n == maxWrong:
		l.errs = append(l.errs, errors.New("and more"))
	}
}

func (l *loader) ids(last map[string]int64) {
	for kind, id := range last {
		if id < 0 || id > maxID {
			l.wrong("ids", kind, "want 0 to %d, not %d", maxID, id)
			continue
		}
		l.w.Reserve(kind, id)
	}
}

// rows fills a table, and keeps the ids of its rows from being given out again.
func rows[R any](l *loader, kind string, from []R, into *table.Table[R], id func(R) int64) {
	for _, row := range from {
		n := id(row)
		if _, twice := into.Get(n); twice {
			l.wrong(kind, n, "is there twice")
			continue
		}
		if n < 1 || n > maxID {
			l.wrong(kind, n, "want an id from 1 to %d", maxID)
			continue
		}
		into.Put(n, row)
		l.w.Reserve(kind, n)
	}
}
