package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

var fullDisk = promise{
	name: "full-disk",
	says: "On a full disk, answers go on and say that they are not recorded; what is recorded stays readable.",
	tried: "`--record` to a file that may have 64 blocks (`ulimit -f`), and to `/dev/full`; 8 clients in 4 worlds; " +
		"header, health, standard error, exit code, and the lines against the numbers that clients saw",
	try: tryFullDisk,
}

func tryFullDisk(ctx context.Context, t *trial) (string, error) {
	file := t.file("small.ndjson")
	m := must(t.serveSmall(ctx, 64, "--record", file))
	small, err := t.fill(ctx, m)
	if err != nil {
		return "", fmt.Errorf("small file: %w", err)
	}
	if len(small.recorded) == 0 {
		return "", errors.New("small file: no exchange was recorded before it was full")
	}
	check(t.readable(ctx, file, small))
	kept := fmt.Sprintf("%d answered, %d recorded, %d not, as health counts", small.all(), len(small.recorded),
		len(small.unrecorded))
	if _, err := os.Stat("/dev/full"); err != nil {
		return kept + "; no /dev/full", nil //nolint:nilerr // this part is reported as not tried
	}
	m = must(t.serve(ctx, "--record", "/dev/full"))
	full, err := t.fill(ctx, m)
	if err != nil {
		return "", fmt.Errorf("/dev/full: %w", err)
	}
	if len(full.recorded) > 0 {
		return "", fmt.Errorf("/dev/full: %d answers do not say that they are not recorded", len(full.recorded))
	}
	return fmt.Sprintf("%s; /dev/full: %d answered, none recorded; exit code 2 both times", kept, full.all()), nil
}

// fill puts a load on a mock that cannot record all of it, and stops it.
func (t *trial) fill(ctx context.Context, m *mock) (*answered, error) {
	worlds, err := m.newWorlds(ctx, 4)
	if err != nil {
		return nil, err
	}
	seen := &answered{}
	if err := (load{worlds: worlds, clients: 8, answers: 100}).run(ctx, m, seen); err != nil {
		return nil, err
	}
	health, err := m.health(ctx)
	if err != nil {
		return nil, err
	}
	said := health.get("recording.unrecorded").Int()
	if int(said) != len(seen.unrecorded) || said == 0 || health.get("recording.error").String() == "" {
		return nil, fmt.Errorf("%d answers say that they are not recorded, but health says %s", len(seen.unrecorded),
			health.body)
	}
	code, err := m.terminate(30 * time.Second)
	if err != nil {
		return nil, err
	}
	if log := m.stderr(); code != 2 || strings.Count(log, "answers are not recorded") != 1 {
		return nil, fmt.Errorf("exit code %d, want 2 and the reason on standard error once: %s", code, log)
	}
	return seen, nil
}

// readable returns an error if a recording ends with half a line, lacks an exchange whose answer did not say so, or is
// refused by understudy check.
func (t *trial) readable(ctx context.Context, file string, seen *answered) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r, err := readRecording(text)
	if err != nil {
		return err
	}
	if r.torn > 0 {
		return fmt.Errorf("the recording ends with %d bytes of half a line", r.torn)
	}
	if err := r.checkComplete(seen.recorded); err != nil {
		return err
	}
	code, report, err := t.check(ctx, file)
	if err == nil && code != 0 {
		err = fmt.Errorf("understudy check ends with exit code %d: %s", code, report)
	}
	return err
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

func tryFIFO(ctx context.Context, t *trial) (string, error) {
	without, err := t.tryFIFOWith(ctx, func(string) (func(), error) { return func() {}, nil })
	if err != nil {
		return "", fmt.Errorf("without a reader: %w", err)
	}
	stopped, err := t.tryFIFOWith(ctx, readALittle)
	if err != nil {
		return "", fmt.Errorf("with a reader that stops: %w", err)
	}
	return "without a reader: " + without + "; with one that stops: " + stopped, nil
}

// readALittle opens a FIFO as its reader, which reads 64 KiB and then nothing.
func readALittle(path string) (closes func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0) // not os.O_RDONLY, which waits for a writer
	if err != nil {
		return nil, err
	}
	go func() {
		for n := 0; n < 64<<10; {
			read, err := file.Read(make([]byte, 4<<10))
			if err != nil {
				return
			}
			n += read
		}
	}()
	return func() { _ = file.Close() }, nil
}

// tryFIFOWith puts a load on a mock that records to a FIFO.
func (t *trial) tryFIFOWith(ctx context.Context, reader func(string) (func(), error)) (string, error) {
	path := t.file("fifo")
	if out, err := exec.CommandContext(ctx, "mkfifo", path).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: mkfifo: %w: %s", errNotTried, err, out)
	}
	closes := must(reader(path))
	defer closes()
	m := must(t.serve(ctx, "--record", path))
	worlds := must(m.newWorlds(ctx, 4))
	watched := m.watch(ctx, control+"/health")
	seen := &answered{}
	check((load{worlds: worlds, clients: 8, answers: 1000}).run(ctx, m, seen))
	health := must(watched())
	worst := max(health.worst(), seen.times.worst())
	if worst > fifoSlowest || len(seen.unrecorded) == 0 {
		return "", fmt.Errorf("%d of %d answers say that they are not recorded; the slowest took %v", len(seen.unrecorded),
			seen.all(), ms(worst))
	}
	code, err := m.terminate(fifoSlowest)
	if err == nil && (code != 2 || !strings.Contains(m.stderr(), "were not recorded")) {
		err = fmt.Errorf("exit code %d, want 2 and how many exchanges were not recorded: %s", code, m.stderr())
	}
	return fmt.Sprintf("%d answers, of which %d say that they are not recorded, the slowest after %v, exit code 2",
		seen.all(), len(seen.unrecorded), ms(worst)), err
}
