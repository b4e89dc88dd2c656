package report

import (
	"fmt"
	"strings"
)

// Engine describes an engine that judged by the schemas of the documents.
type Engine struct {
	Name     string `json:"name"`
	Version  string `json:"version,omitzero"`
	Messages int    `json:"messages"`         // bodies, and the parameters of requests, that it judged
	Lost     int    `json:"lost,omitzero"`    // those that it was asked about, and could not judge
	Trouble  string `json:"trouble,omitzero"` // why, where it is known
}

// inWords returns how much the engine judged.
func (e *Engine) inWords() string {
	text := strings.TrimSpace(e.Name+" "+e.Version) + " judged " + count(e.Messages, "message")
	if e.Lost > 0 {
		text += fmt.Sprintf(", failed on %d", e.Lost)
	}
	if e.Trouble != "" {
		text += " (" + e.Trouble + ")"
	}
	return plain(text)
}

// enginesInWords returns which engines judged how much. It is empty if that is not known.
func (r *Report) enginesInWords() string {
	var list []string
	for i := range r.Engines {
		list = append(list, r.Engines[i].inWords())
	}
	return strings.Join(list, ", ")
}
