package dig_test

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
)

func FuzzReadArchive(f *testing.F) {
	good := packed(f, tar.Header{Name: "a.dig"}, tar.Header{Name: "sub/b.txt"})
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(packed(f, tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "../x"}))
	f.Add(zipped(f, []byte("not a tar")))
	f.Fuzz(func(t *testing.T, archive []byte) {
		limits := dig.Limits{Compressed: 1 << 16, Expanded: 1 << 18, Files: 100, File: 1 << 16}
		p, err := dig.ReadArchive(archive, limits)
		sound(t, p.Workflows, err)
	})
}

func FuzzReadDefinition(f *testing.F) {
	for _, source := range []string{
		hello, "a: &a [*a]\n", "a: &a {x: 1}\nb: {<<: *a}\n", "!include : x\n", "+l: {loop>: 3, _do: {+a: {}}}\n",
		"+f: {for_each>: {a: [1, 2], b: {c: d}}, _do: {echo>: x}}\n", "+r: {for_range>: {to: 9, slices: 2}, _do: {}}\n",
		"timezone: Asia/Tokyo\nschedule:\n  cron>: '0 0 * * 7'\n  start: 2024-01-01\n", "+c: {call>: w}\n",
		"_parallel: {limit: 2}\n+a: {_background: true}\n+b: {_after: +a, _retry: {limit: 1}}\n",
	} {
		f.Add([]byte(source))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		w, err := dig.ReadDefinition("w.dig", source)
		sound(t, []dig.Workflow{w}, err)
	})
}

// sound checks what must hold of whatever was read.
func sound(t *testing.T, workflows []dig.Workflow, err error) {
	t.Helper()
	if err != nil {
		if _, own := errors.AsType[*dig.Error](err); !own {
			t.Fatalf("an error of another type: %v", err)
		}
		return
	}
	for _, w := range workflows {
		var config map[string]any
		if err := json.Unmarshal(w.Config, &config); err != nil {
			t.Fatalf("the config of %s is not valid JSON: %v", w.Name, err)
		}
		if w.TaskCount <= dig.MaxTasks && w.TaskCount != len(w.Tasks) {
			t.Fatalf("counted %d tasks, planned %d", w.TaskCount, len(w.Tasks))
		}
		for i, task := range w.Tasks {
			soundTask(t, i, task)
		}
		if w.Schedule != nil {
			soundSlots(t, *w.Schedule, time.Unix(1_700_000_000, 0))
		}
	}
}

func soundTask(t *testing.T, i int, task dig.Task) {
	t.Helper()
	if task.Parent >= i || (task.Parent < 0) != (i == 0) {
		t.Fatalf("task %d has the parent %d", i, task.Parent)
	}
	for _, up := range task.Upstreams {
		if up >= i || up <= task.Parent {
			t.Fatalf("task %d with the parent %d waits for %d", i, task.Parent, up)
		}
	}
	if !json.Valid(task.Config) || !json.Valid(task.Export) {
		t.Fatalf("config %s and export %s", task.Config, task.Export)
	}
}

func FuzzSchedule(f *testing.F) {
	for _, kind := range []string{"hourly", "daily", "weekly", "monthly", "minutes_interval", "cron"} {
		f.Add(kind, "07:00:00", "Asia/Tokyo", int64(1_700_000_000))
	}
	f.Add("cron", "0 0 29 2 7", "America/Sao_Paulo", int64(4_000_000_000))
	f.Add("cron", "*/5 1-3/2 * jan-mar mon,5-7", "Australia/Lord_Howe", int64(1_712_400_000))
	f.Add("weekly", "Sun,09:00:00", "America/Havana", int64(-1<<62))
	f.Fuzz(func(t *testing.T, kind, spec, zoneName string, from int64) {
		zone, err := time.LoadLocation(zoneName)
		if err != nil {
			zone = time.UTC
		}
		s, err := dig.NewSchedule(kind, spec, zone)
		if err != nil {
			sound(t, nil, err)
			return
		}
		soundSlots(t, s, time.Unix(from, 0))
	})
}

// soundSlots holds the four ways to find a slot against each other.
func soundSlots(t *testing.T, s dig.Schedule, from time.Time) {
	t.Helper()
	if first := s.First(from); !first.IsZero() && first.Run.Before(from) {
		t.Fatalf("the first slot from %v runs at %v", from, first.Run)
	}
	for range 5 {
		slot := s.Next(from)
		if slot.IsZero() {
			return
		}
		if !slot.Time.After(from) || slot.Run.Before(slot.Time) {
			t.Fatalf("after %v comes %v, run at %v", from, slot.Time, slot.Run)
		}
		if at := s.At(slot.Time); !at.Time.Equal(slot.Time) {
			t.Fatalf("at %v is %v", slot.Time, at.Time)
		}
		if last := s.Last(slot.Time); !last.Time.Equal(slot.Time) {
			t.Fatalf("the last slot at %v is %v", slot.Time, last.Time)
		}
		from = slot.Time
	}
}
