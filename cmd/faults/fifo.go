package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

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
	closes, err := reader(path)
	if err != nil {
		return "", err
	}
	defer closes()
	m, err := t.serve(ctx, "--record", path)
	if err != nil {
		return "", err
	}
	worlds, err := m.newWorlds(ctx, 4)
	if err != nil {
		return "", err
	}
	watched := m.watch(ctx, control+"/health")
	seen := &answered{}
	if err := (load{worlds: worlds, clients: 8, answers: 1000}).run(ctx, m, seen); err != nil {
		return "", err
	}
	health, err := watched()
	if err != nil {
		return "", err
	}
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
