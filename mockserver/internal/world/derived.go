package world

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/table"
)

// maxDefinitions bounds what all definitions of a dump may take once they are read, so that a small dump cannot become
// a big world.
const maxDefinitions = 256 << 20

// restoreDerived adds to a world that was read what its dump leaves out: the definitions, which are in the archives.
// Since anybody can make a digest, it also refuses values that would send a handler into an endless loop or recursion.
// Other impossible values only make a handler fail.
func (w *State) restoreDerived() error {
	for kind, last := range table.Entries(&w.ids) {
		if last < 0 || last > table.MaxID {
			return fmt.Errorf("ids: %s is %d: want 0 to %d", kind, last, table.MaxID)
		}
	}
	w.Workflow.restorePools()
	w.Account.restoreDerived()
	if err := errors.Join(w.Workflow.restoreDefinitions(), w.Own.restoreNames()); err != nil {
		return err
	}
	for id, job := range table.All(&w.Core.Jobs) {
		if !job.Output.isWellFormed() || job.Answer != nil && !job.Answer.Output.isWellFormed() {
			return fmt.Errorf("job %d: want an output of as many rows as it counts", id)
		}
	}
	for number, result := range EntriesOf(&w.Core.Results) {
		if !result.Output.isWellFormed() {
			return fmt.Errorf("result %d: want an output of as many rows as it counts", number)
		}
	}
	return nil
}

func (x *Workflow) restoreDefinitions() error {
	size := 0
	for id, r := range table.All(&x.Revisions) {
		project, err := dig.ReadArchive(r.Archive, dig.DefaultLimits())
		if err != nil {
			return fmt.Errorf("revision %d: its archive is invalid: %w", id, err)
		}
		for _, w := range project.Workflows {
			size += len(w.Config)
		}
		n := int64(len(project.Workflows))
		if size > maxDefinitions || r.Definitions != n || r.FirstDefinition < 1 || r.FirstDefinition > table.MaxID-n {
			return fmt.Errorf("revision %d: want %d definitions, and all together at most %d bytes", id, n, maxDefinitions)
		}
		if ids := r.DefinitionIDs; len(ids) > 0 && (int64(len(ids)) != n || slices.Min(ids) < 1 ||
			slices.Max(ids) > table.MaxID) {
			return fmt.Errorf("revision %d: want %d definitionIds from 1 to %d", id, n, table.MaxID)
		}
		if r.ID != id || r.Previous < 0 || r.Previous >= id {
			return fmt.Errorf("revision %d: want the preceding one as previous, not %d", id, r.Previous)
		}
		x.AddRevision(r, project.Workflows)
	}
	for attempt, tasks := range table.All(&x.Tasks) {
		for i, t := range tasks {
			if t.Parent >= i {
				return fmt.Errorf("attempt %d: want each task after its parent", attempt)
			}
		}
	}
	return nil
}

// isWellFormed reports whether the rows can be written in every format. A missing output is well-formed.
func (o *Output) isWellFormed() bool {
	if o == nil || o.Dropped && len(o.Rows) == 0 {
		return true
	}
	r := bytes.NewReader(o.Rows)
	d := msgpack.NewDecoder(r)
	for range o.Count {
		if n, err := d.DecodeArrayLen(); err != nil || n != len(o.Columns) {
			return false
		}
		for range o.Columns {
			if !isWellFormedValue(d, maxDepth) {
				return false
			}
		}
	}
	return o.Count >= 0 && o.Size >= 0 && r.Len() == 0
}

const maxDepth = 100 // of lists and objects within a value of a row

func isWellFormedValue(d *msgpack.Decoder, depth int) bool {
	code, err := d.PeekCode()
	switch {
	case err != nil || depth == 0:
		return false
	case msgpcode.IsFixedArray(code), code == msgpcode.Array16, code == msgpcode.Array32:
		n, err := d.DecodeArrayLen()
		for err == nil && n > 0 && isWellFormedValue(d, depth-1) {
			n--
		}
		return err == nil && n == 0
	case msgpcode.IsFixedMap(code), code == msgpcode.Map16, code == msgpcode.Map32:
		n, err := d.DecodeMapLen()
		for ; err == nil && n > 0; n-- {
			if _, err = d.DecodeString(); err != nil || !isWellFormedValue(d, depth-1) {
				return false
			}
		}
		return err == nil
	}
	_, err = d.DecodeInterface()
	return err == nil
}
