package control

import (
	"bytes"
	"fmt"

	"github.com/VictoriaMetrics/metrics"

	"svc.example/understudy/mockserver/internal/meter"
	"svc.example/understudy/mockserver/internal/op"
)

// getMetrics writes the counts of the server, what its worlds take, and the metrics of the process.
func (h Host) getMetrics(*op.Call) (op.Reply, error) {
	var b bytes.Buffer
	build := h.Version()
	metrics.WriteGaugeUint64(&b, fmt.Sprintf("understudy_build_info{version=%q,commit=%q,documents=%q}",
		build.Version, build.Commit, build.Documents), 1)
	h.Meters.Write(&b)
	usage := h.Worlds.Usage()
	var journals, entries int
	for _, w := range h.Worlds.List() {
		journals += w.Journal.Size()
		entries += w.Journal.Extent().Total
	}
	for _, gauge := range []struct {
		name  string
		value int64
	}{
		{"understudy_worlds", int64(usage.Worlds)},
		{"understudy_worlds_limit", int64(usage.MaxWorlds)},
		{"understudy_memory_bytes", usage.Bytes},
		{"understudy_memory_limit_bytes", usage.MaxBytes},
		{"understudy_journal_bytes", int64(journals)},
		{"understudy_journal_exchanges", int64(entries)},
		{"understudy_watchers", h.Watchers.Load()},
	} {
		metrics.WriteGaugeUint64(&b, gauge.name, uint64(max(0, gauge.value)))
	}
	if recording := h.Recording(); recording != nil {
		metrics.WriteCounterUint64(&b, "understudy_recorded_exchanges_total", uint64(recording.Recorded))
		metrics.WriteCounterUint64(&b, "understudy_unrecorded_exchanges_total", uint64(recording.Unrecorded))
	}
	metrics.WriteProcessMetrics(&b)
	return op.Reply{Bytes: meter.Describe(b.Bytes()), Type: "text/plain; version=0.0.4; charset=utf-8"}, nil
}
