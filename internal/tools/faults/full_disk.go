package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"svc.example/understudy/internal/tools/must"
)

var fullDisk = promise{
	name: "full-disk",
	says: "On a full disk, answers go on and say that they are not recorded; what is recorded stays readable.",
	tried: "`--record` to a file that may have 64 blocks (`ulimit -f`), and to `/dev/full`; 8 clients in 4 worlds; " +
		"header, health, standard error, exit code, and the lines against the numbers that clients saw",
	try: tryFullDisk,
}

func tryFullDisk(ctx context.Context, t *trial) string {
	file := t.file("small.ndjson")
	m := t.serveSmall(ctx, 64, "--record", file)
	small, full := &answered{}, &answered{}
	must.In("small file", func() { t.fill(ctx, m, small) })
	if len(small.recorded) == 0 {
		must.Fatalf("small file: no exchange was recorded before it was full")
	}
	t.readable(ctx, file, small)
	kept := fmt.Sprintf("%d answered, %d recorded, %d not, as health counts", small.all(), len(small.recorded),
		len(small.unrecorded))
	if _, err := os.Stat("/dev/full"); err != nil {
		return kept + "; no /dev/full"
	}
	m = t.serve(ctx, "--record", "/dev/full")
	must.In("/dev/full", func() { t.fill(ctx, m, full) })
	if len(full.recorded) > 0 {
		must.Fatalf("/dev/full: %d answers do not say that they are not recorded", len(full.recorded))
	}
	return fmt.Sprintf("%s; /dev/full: %d answered, none recorded; exit code 2 both times", kept, full.all())
}

// fill puts a load on a mock that cannot record all of it, and stops it.
func (t *trial) fill(ctx context.Context, m *mock, seen *answered) {
	load{worlds: m.newWorlds(ctx, 4), clients: 8, answers: 100}.run(ctx, m, seen)
	health := m.health(ctx)
	said := health.get("recording.unrecorded").Int()
	if int(said) != len(seen.unrecorded) || said == 0 || health.get("recording.error").Text() == "" {
		must.Fatalf("%d answers say that they are not recorded, but health says %s", len(seen.unrecorded),
			health.body)
	}
	code := m.terminate(30 * time.Second)
	if log := m.stderr(); code != 2 || strings.Count(log, "answers are not recorded") != 1 {
		must.Fatalf("exit code %d, want 2 and the reason on standard error once: %s", code, log)
	}
}

// readable ends the attempt if a recording ends with half a line, lacks an exchange whose answer did not say so, or is
// refused by understudy check.
func (t *trial) readable(ctx context.Context, file string, seen *answered) {
	r := must.Get(readRecording(readSince(file, 0)))
	if r.torn > 0 {
		must.Fatalf("the recording ends with %d bytes of half a line", r.torn)
	}
	must.Do(r.checkComplete(seen.recorded))
	t.conforms(ctx, file)
}

var fifo = promise{
	name: "fifo",
	says: "A recording without a reader does not block any world.",
	tried: "`--record` to a FIFO without a reader, and to one whose reader stops after 64 KiB; 8 clients in 4 worlds, " +
		"8,000 requests each time; times, header and exit code",
	try: tryFIFO,
}

// fifoSlowest is a second, for which an answer waits for its line, and a little.
const fifoSlowest = 3 * time.Second

func tryFIFO(ctx context.Context, t *trial) string {
	var without, stopped string
	must.In("without a reader", func() { without = t.tryFIFOWith(ctx, func(string) func() { return func() {} }) })
	must.In("with a reader that stops", func() { stopped = t.tryFIFOWith(ctx, readALittle) })
	return "without a reader: " + without + "; with one that stops: " + stopped
}

// readALittle opens a FIFO as its reader, which reads 64 KiB and then nothing.
func readALittle(path string) (closes func()) {
	file := must.Get(os.OpenFile(path, os.O_RDWR, 0)) // not os.O_RDONLY, which waits for a writer
	go func() {
		for n := 0; n < 64<<10; {
			read, err := file.Read(make([]byte, 4<<10))
			if err != nil {
				return
			}
			n += read
		}
	}()
	return func() { _ = file.Close() }
}

// tryFIFOWith puts a load on a mock that records to a FIFO.
func (t *trial) tryFIFOWith(ctx context.Context, reader func(string) func()) string {
	path := t.file("fifo")
	if out, err := exec.CommandContext(ctx, "mkfifo", path).CombinedOutput(); err != nil {
		must.Fatalf("%w: mkfifo: %w: %s", errNotTried, err, out)
	}
	closes := reader(path)
	defer closes()
	m := t.serve(ctx, "--record", path)
	worlds := m.newWorlds(ctx, 4)
	watched := m.watch(ctx, control+"/health")
	seen := &answered{}
	load{worlds: worlds, clients: 8, answers: 1000}.run(ctx, m, seen)
	health := watched()
	worst := max(health.worst(), seen.times.worst())
	if worst > fifoSlowest || len(seen.unrecorded) == 0 {
		must.Fatalf("%d of %d answers say that they are not recorded; the slowest took %v", len(seen.unrecorded),
			seen.all(), ms(worst))
	}
	code := m.terminate(fifoSlowest)
	if code != 2 || !strings.Contains(m.stderr(), "were not recorded") {
		must.Fatalf("exit code %d, want 2 and how many exchanges were not recorded: %s", code, m.stderr())
	}
	return fmt.Sprintf("%d answers, of which %d say that they are not recorded, the slowest after %v, exit code 2",
		seen.all(), len(seen.unrecorded), ms(worst))
}
