package console

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/verdict"
)

// rulesPage shows what the rules say of a world, and what of the documents was seen.
type rulesPage struct {
	Report verdict.Report
	Judged bool // there is a judge
	Heat   []heat
}

// heat is the coverage of the operations of an interface.
type heat struct {
	Interface           string
	Statuses            []string
	Operations          []heatRow
	Covered, Documented int
	Percent             float64
}

type heatRow struct {
	Name  string
	Calls int
	Cells []int // by status
}

func (v *view) rulesPage() error {
	w, err := v.watch()
	if err != nil {
		return err
	}
	var body rulesPage
	if w != nil {
		body.Report, body.Judged = v.report(w), true
	}
	if body.Heat, err = v.heat(); err != nil {
		return err
	}
	return v.ok("rules", "rules", "Rules and coverage", body)
}

// heat asks which operations were called in the world, and how they answered.
func (v *view) heat() ([]heat, error) {
	var all struct {
		Operations map[string]struct {
			Calls    int            `json:"calls"`
			Statuses map[string]int `json:"statuses"`
		} `json:"operations"`
	}
	if err := v.get("coverage", &all); err != nil {
		return nil, err
	}
	names, err := v.operations()
	if err != nil {
		return nil, err
	}
	interfaces, err := v.Interfaces()
	if err != nil {
		return nil, err
	}
	var list []heat
	for _, iface := range interfaces {
		h, statuses := heat{Interface: iface}, map[string]bool{}
		for _, name := range names {
			if strings.HasPrefix(name, iface+".") {
				for status := range all.Operations[name].Statuses {
					statuses[status] = true
				}
			}
		}
		h.Statuses = slices.Sorted(maps.Keys(statuses))
		for _, name := range names {
			id, isIts := strings.CutPrefix(name, iface+".")
			if !isIts {
				continue
			}
			o := all.Operations[name]
			row := heatRow{Name: id, Calls: o.Calls}
			for _, status := range h.Statuses {
				row.Cells = append(row.Cells, o.Statuses[status])
			}
			if h.Documented++; o.Calls > 0 {
				h.Covered++
			}
			h.Operations = append(h.Operations, row)
		}
		h.Percent = 100 * float64(h.Covered) / float64(max(h.Documented, 1))
		list = append(list, h)
	}
	return list, nil
}

// verdictsOf answers a script with the verdicts of exchanges, by their numbers.
func (v *view) verdictsOf() error {
	w, err := v.watch()
	if err != nil {
		return err
	}
	verdicts := map[int64]string{}
	if w != nil {
		var seqs []int64
		for text := range strings.SplitSeq(v.r.URL.Query().Get("seqs"), ",") {
			if seq, err := strconv.ParseInt(text, 10, 64); err == nil {
				seqs = append(seqs, seq)
			}
		}
		for _, one := range w.watch.Verdicts(seqs...) {
			if !one.Pending {
				verdicts[one.Seq] = one.Grade()
			}
		}
	}
	v.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(v.w).Encode(map[string]any{"verdicts": verdicts})
}

// reportPage is the report as check would write it.
func (v *view) reportPage() error {
	w, err := v.watch()
	if err != nil {
		return err
	}
	if w == nil {
		return v.problem(http.StatusNotFound, "This server judges nothing.")
	}
	var page bytes.Buffer
	if err := w.watch.HTML(v.ctx, &page, v.again); err != nil {
		return err
	}
	v.w.Header().Del("Content-Security-Policy") // the page has a stricter one of its own
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = v.w.Write(page.Bytes())
	return err
}

// minimal sends the fewest exchanges that show a finding, as a recording.
func (v *view) minimal() error {
	w, err := v.watch()
	if err != nil {
		return err
	}
	if w == nil {
		return v.problem(http.StatusNotFound, "This server judges nothing.")
	}
	id := strings.TrimSuffix(v.r.PathValue("finding"), ".ndjson")
	exchanges, err := w.watch.Minimal(v.ctx, id, v.again)
	if err != nil {
		return v.problem(http.StatusNotFound, "A minimal recording of this finding cannot be made: "+err.Error())
	}
	var out bytes.Buffer
	for _, e := range exchanges {
		if err := recording.Write(&out, e); err != nil {
			return err
		}
	}
	v.w.Header().Set("Content-Type", "application/x-ndjson")
	v.w.Header().Set("Content-Disposition", `attachment; filename="`+strings.Map(word, id)+`.ndjson"`)
	_, err = v.w.Write(out.Bytes())
	return err
}

// again reads an exchange of the journal once more.
func (v *view) again(seq int64) (*recording.Exchange, bool) {
	e, ok, err := v.exchange(seq)
	return e, ok && err == nil
}

// word keeps characters that may stand in the name of a file.
func word(c rune) rune {
	if c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
		return c
	}
	return '-'
}

// Verdict returns the verdict on an exchange; nil before there is one.
func (p exchangePage) Verdict() *verdict.Verdict { return p.Judged }
