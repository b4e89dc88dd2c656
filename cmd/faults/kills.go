package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

var kills = promise{
	name: "kills",
	says: "Every response that a client received is in the recording, whenever the process is killed.",
	tried: "`kill -9` at random moments under load, 8 clients in 4 worlds, repeatedly on the same file; numbers " +
		"that clients saw against the lines, and `check --gaps fail`",
	long: true,
	try:  tryKills,
}

// killCounts counts what became of kills.
type killCounts struct{ kills, answers, torn int }

func tryKills(ctx context.Context, t *trial) (string, error) {
	const most = 20 // kills with the same file
	var sum killCounts
	for end := time.Now().Add(t.time); sum.kills == 0 || time.Now().Before(end); {
		file := t.file("kills.ndjson")
		for n := 0; n == 0 || n < most && time.Now().Before(end); n++ {
			if err := t.killOnce(ctx, file, &sum); err != nil {
				return "", fmt.Errorf("kill %d: %w", sum.kills, err)
			}
		}
		if err := t.endWell(ctx, file); err != nil {
			return "", fmt.Errorf("after %d kills: %w", sum.kills, err)
		}
		if err := os.Remove(file); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d kills, %d answers seen, none missing; half a line at the end %d times, cut off by the next "+
		"start",
		sum.kills, sum.answers, sum.torn), nil
}

// killOnce starts the mock on a recording, kills it under load, and looks at what the recording has.
func (t *trial) killOnce(ctx context.Context, file string, sum *killCounts) error {
	m, err := t.serve(ctx, "--record", file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	worlds, err := m.newWorlds(ctx, 4)
	if err != nil {
		return err
	}
	after := 20*time.Millisecond + time.Duration(t.random.Int64N(int64(500*time.Millisecond)))
	timer := time.AfterFunc(after, func() { _ = m.command.Process.Kill() })
	defer timer.Stop()
	seen := &answered{}
	if err := (load{worlds: worlds, clients: 8, dies: true}).run(ctx, m, seen); err != nil {
		return err
	}
	m.kill()
	text, err := readSince(file, info.Size())
	if err != nil {
		return err
	}
	r, err := readRecording(text)
	if err != nil {
		return err
	}
	sum.kills++
	sum.answers += seen.all()
	if r.torn > 0 {
		sum.torn++
	}
	if len(seen.unrecorded) > 0 {
		return fmt.Errorf("%d answers say that they are not recorded", len(seen.unrecorded))
	}
	return r.checkComplete(seen.recorded)
}

// endWell starts the mock once more on a recording, stops it as it should be, and lets understudy check read it all.
func (t *trial) endWell(ctx context.Context, file string) error {
	m, err := t.serve(ctx, "--record", file)
	if err != nil {
		return err
	}
	seen := &answered{}
	if err := (load{worlds: []string{defaultWorld}, clients: 1, answers: 5}).run(ctx, m, seen); err != nil {
		return err
	}
	code, err := m.terminate(30 * time.Second)
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("exit code %d after SIGTERM: %s", code, m.stderr())
	}
	code, report, err := t.check(ctx, file, "--gaps", "fail")
	if err == nil && code != 0 {
		err = fmt.Errorf("check --gaps fail ends with exit code %d: %.600s", code, report)
	}
	return err
}
