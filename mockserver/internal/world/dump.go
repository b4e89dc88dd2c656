package world

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/table"
)

// dumpedWorld is the JSON of a world, with the version of the form and the digest of the rest in front. Tables, indexes
// and events write and read themselves, so that no field is forgotten.
type dumpedWorld struct {
	Version version `json:"understudy"`
	Digest  string  `json:"digest"`
	form
}

// form holds everything that the digest covers. It leaves out what restoreDerived restores.
type form struct {
	Scenario  string                      `json:"scenario"`
	Seed      uint64                      `json:"seed"`
	Now       time.Time                   `json:"now"`
	IDs       *table.Index[string, int64] `json:"ids"`
	Events    eventForm                   `json:"events"`
	Account   *Account                    `json:"account"`
	Ingestion *Ingestion                  `json:"ingestion"`
	Audience  *Audience                   `json:"audience"`
	DWH       *DWH                        `json:"dwh"`
	Core      *Core                       `json:"core"`
	LLM       *LLM                        `json:"llm"`
	Workflow  *Workflow                   `json:"workflow"`
	Own       *Own                        `json:"own,omitempty"`    // nil if there is none, as in dumps of before
	Faults    *Faults                     `json:"faults,omitempty"` // nil if none are planned
}

func (w *State) form() form {
	f := form{
		Scenario: w.Scenario, Seed: w.Seed, Now: w.Now(), IDs: &w.ids, Events: eventForm{w}, Account: &w.Account,
		Ingestion: &w.Ingestion, Audience: &w.Audience, DWH: &w.DWH, Core: &w.Core, LLM: &w.LLM, Workflow: &w.Workflow,
	}
	if w.Faults.Plan != nil {
		f.Faults = &w.Faults
	}
	if !w.Own.isEmpty() {
		f.Own = &w.Own
	}
	return f
}

// eventForm writes the events of a world as a list, in time order. Those that wait for a query begin it anew once they
// are read.
type eventForm struct{ *State }

// MarshalJSONTo implements json.MarshalerTo.
func (f eventForm) MarshalJSONTo(e *jsontext.Encoder) error {
	all := *f.State
	for event := range all.waits.all.All() {
		all.Plan(event)
	}
	return json.MarshalEncode(e, append([]DueEvent{}, all.Events()...))
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (f eventForm) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var events []DueEvent
	err := json.UnmarshalDecode(d, &events)
	for _, event := range events {
		f.Plan(event)
	}
	return err
}

// version is that of the form of worlds.
type version int

const formVersion version = 2

// UnmarshalJSONFrom implements json.UnmarshalerFrom: what another version has written is not read any further.
func (v *version) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	type plain version
	if err := json.UnmarshalDecode(d, (*plain)(v)); err != nil {
		return err
	}
	if *v != formVersion {
		return fmt.Errorf("it has version %d, but this Understudy reads version %d: create a new dump, or write a fixture",
			*v, formVersion)
	}
	return nil
}

// options are those of the form. Nothing is lost: nil stays nil, and texts are written alike however clients have
// escaped them.
var options = json.JoinOptions(
	table.Form(),
	json.Deterministic(true), json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true),
	jsonv1.OmitEmptyWithLegacySemantics(true), jsonv1.FormatDurationAsNano(true),
	jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.RejectUnknownMembers(true),
)

// digest returns the digest of the form, and how many bytes the form takes.
func (f form) digest() (digest string, size int, err error) {
	sum := &countingHash{Hash: sha256.New()}
	if err := json.MarshalWrite(sum, f, options); err != nil {
		return "", 0, fmt.Errorf("dump the world: %w", err)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), sum.size, nil
}

type countingHash struct {
	hash.Hash

	size int
}

// Write implements io.Writer.
func (h *countingHash) Write(p []byte) (int, error) {
	h.size += len(p)
	return h.Hash.Write(p)
}

// Dump writes the whole world as one JSON object, for Load. The same world gives the same bytes. API keys are in it.
func (w *State) Dump(to *bytes.Buffer) error {
	f := w.form()
	digest, size, err := f.digest()
	if err != nil {
		return err
	}
	to.Grow(size + 256) // with version and digest; else it would take up to three times as much while it grows
	if err := json.MarshalWrite(to, dumpedWorld{formVersion, digest, f}, options); err != nil {
		return fmt.Errorf("dump the world: %w", err)
	}
	return nil
}

// Marshal returns what Dump writes. It encodes the world once, in memory, where Dump does it twice and needs none.
func (w *State) Marshal() ([]byte, error) {
	text, err := json.Marshal(w.form(), options)
	if err != nil {
		return nil, fmt.Errorf("dump the world: %w", err)
	}
	head := fmt.Sprintf(`{"understudy":%d,"digest":"sha256:%x",`, formVersion, sha256.Sum256(text))
	return append([]byte(head), text[1:]...), nil
}

var errEdited = errors.New("its digest does not match its content: it was changed since it was dumped. " +
	"To start with your own world, write a fixture: see docs/reference/fixtures.md")

// Load makes a world out of what Dump has written, and of nothing else. Its clock begins at the time of the dump.
func Load(from io.Reader, mode clock.Mode) (w State, err error) {
	f := w.form()
	s := dumpedWorld{form: f}
	if err = json.UnmarshalRead(from, &s, options); err == nil {
		err = s.checkDigest()
	}
	if s.Own != nil {
		w.Own = *s.Own
	}
	if err == nil {
		err = w.restoreDerived()
	}
	if err != nil {
		return State{}, fmt.Errorf("load the state: %w", locateError(err))
	}
	w.Scenario, w.Seed, w.Clock = s.Scenario, s.Seed, clock.New(mode, s.Now)
	if s.Faults != nil {
		w.Faults = *s.Faults
	}
	return w, nil
}

// checkDigest holds the digest against what was read.
func (s *dumpedWorld) checkDigest() error {
	if s.Version == 0 || s.Now.IsZero() {
		return errors.New("understudy or now is missing: want the complete dump of a world")
	}
	digest, _, err := s.form.digest()
	if err == nil && digest != s.Digest {
		err = errEdited
	}
	return err
}

// locateError returns an error that says where in a dump something is wrong, without the names of our types.
func locateError(err error) error {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return err
	}
	reason := semantic.Err
	if reason == nil {
		reason = fmt.Errorf("%s is not allowed here", semantic.JSONKind)
	}
	return fmt.Errorf("%s: %w", semantic.JSONPointer, reason)
}
