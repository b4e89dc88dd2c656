// Package statefile reads and writes the file in which a server keeps its worlds: one JSON object, replaced as a whole,
// that begins with the version of its form and ends with a digest of everything before.
//
// The states of worlds stand in it as world dumps, each once, and worlds refer to them by their index. API keys are in
// the file, so only its owner may read it.
package statefile

import (
	"encoding/json"
	"time"
)

// Version is the version of the form that is written, and the only one that is read.
const Version = 1

// Content holds what a file has beside the states.
type Content struct {
	Saved  time.Time `json:"saved"`
	Brand  string    `json:"brand"`
	Serial uint64    `json:"serial"` // of the worlds that were made without an id
	Worlds []World   `json:"worlds"` // in the order in which they were made
}

// World is one world of a file.
type World struct {
	ID          string             `json:"id"`
	Fork        string             `json:"fork,omitempty"` // the id of the world that it was forked from
	Keys        map[string]string  `json:"keys,omitempty"` // minted keys by kind
	Now         Moment             `json:"now"`
	Origin      Moment             `json:"origin"` // what a reset returns to
	Checkpoints map[string]*Moment `json:"checkpoints,omitempty"`
}

// Moment is a state with the mode of its clock.
type Moment struct {
	State int      `json:"state"` // the index of its dump
	Clock string   `json:"clock"`
	Ahead duration `json:"ahead,omitempty"` // of the wall clock, in the mode real
}

// duration is written as text.
type duration time.Duration

// MarshalJSON implements json.Marshaler.
func (d duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *duration) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(s)
	*d = duration(parsed)
	return err
}

// NewMoment returns a state with the mode of its clock, and for the mode real by how much it is ahead.
func NewMoment(state int, mode string, ahead time.Duration) Moment {
	return Moment{state, mode, duration(ahead)}
}

// moments lists the moments of a world.
func (w *World) moments() []*Moment {
	list := []*Moment{&w.Now, &w.Origin}
	for _, m := range w.Checkpoints {
		list = append(list, m)
	}
	return list
}
