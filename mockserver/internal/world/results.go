package world

import "svc.example/understudy/mockserver/internal/table"

// DropResults drops the rows of jobs, oldest first, until so many bytes are free or none are left, and reports whether
// it found any. What the jobs say of their results stays.
func (w *State) DropResults(need int64) (dropped bool) {
	for id, job := range table.All(&w.Core.Jobs) {
		if need <= 0 {
			break
		}
		if job.Output == nil || job.Output.Dropped {
			continue
		}
		before := table.Size(job.Output)
		rest := *job.Output
		rest.Rows, rest.Dropped = nil, true
		job.Output = &rest
		w.Core.Jobs.Put(id, job)
		need -= before - table.Size(job.Output)
		dropped = true
	}
	return dropped
}
