package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"svc.example/understudy/specs"
)

var controlBodies = promise{
	name: "control-bodies",
	says: "What a request to the control interface costs is bounded by its length, as that of any other.",
	tried: "every operation of the control interface that takes a body, with each of 10 bodies that unpack to much: " +
		"values, " +
		"objects, members, digits, texts, names, depth, aliases; one after another",
	try: tryControlBodies,
}

// The limits of one request of some KiB.
const (
	promptAnswer = time.Second
	mostMemory   = 100 << 10 // KiB
)

// controlBombs lists bodies of an operation by name, each with its media type.
func controlBombs(op *specs.Operation) map[string][2]string {
	in := func(value string) [2]string {
		return [2]string{jsonType, fmt.Sprintf(`{%q:%s}`, listMember(op), value)}
	}
	return map[string][2]string{
		"12,500,000 zeros":        in("[" + strings.Repeat("0,", 12_500_000) + "0]"),
		"5,000,000 objects":       {jsonType, objects(op, 5_000_000)},
		"190,000 objects":         {jsonType, objects(op, 190_000)},
		"190,000 members":         {jsonType, members(190_000)},
		"400,000,000 digits":      in(strings.Repeat("7", 400_000_000)),
		"15,000,000 digits":       in(strings.Repeat("7", 15_000_000)),
		"a text of 15 MB":         in(`"` + strings.Repeat("x", 15_000_000) + `"`),
		"a name of 15 MB":         {jsonType, `{"` + strings.Repeat("x", 15_000_000) + `":1}`},
		"9,000 lists in another":  in(strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)),
		"aliases for 9^10 values": {"application/yaml", laughs(10)},
	}
}

// laughs returns YAML whose aliases stand for a power of nine of values.
func laughs(power int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [1,1,1,1,1,1,1,1,1]\n")
	for i := range power - 1 {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 8), i)
	}
	return b.String()
}

func tryControlBodies(ctx context.Context, t *trial) (string, error) {
	document, err := specs.Readable(specs.Control, specs.Neutral)
	if err != nil {
		return "", err
	}
	m, err := t.serve(ctx)
	if err != nil {
		return "", err
	}
	if _, err := m.want(ctx, http.StatusOK, http.MethodPut, control+"/state", "{}"); err != nil { // the schema is compiled
		return "", err
	}
	sent, operations, most, seen := 0, 0, int64(0), &times{}
	for _, op := range document.All() {
		if op.Spec.RequestBody == nil {
			continue
		}
		operations++
		path := control + strings.ReplaceAll(op.Path, "{world}", defaultWorld)
		for name, body := range controlBombs(op) {
			before, beforeErr := m.resetPeak()
			a, err := m.call(ctx, op.Method, path, pack(body[1]), "Content-Type", body[0], "Content-Encoding", "gzip")
			if err == nil && (a.status < 400 && body[0] != jsonType || a.status >= 500) {
				err = fmt.Errorf("%d %.300s", a.status, a.body)
			}
			peak, peakErr := m.status("VmHWM")
			if err := errors.Join(err, beforeErr, peakErr); err != nil {
				return "", fmt.Errorf("%s, %s: %w", op.Name(), name, err)
			}
			if a.took > promptAnswer || peak-before > mostMemory {
				return "", fmt.Errorf("%s, %s: %v, and the process has taken %d MiB more than before", op.Name(), name, ms(a.took),
					(peak-before)>>10)
			}
			most = max(most, peak-before)
			sent++
			seen.add(a.took)
		}
	}
	return fmt.Sprintf("%d bodies to %d operations, the slowest answered after %v; none took more than %d MiB",
		sent, operations,
		ms(seen.worst()), most>>10), nil
}

// resetPeak forgets how much memory the process had at most, and returns how much it has, in KiB.
func (m *mock) resetPeak() (int64, error) {
	const peak = "5" // proc(5)
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", m.command.Process.Pid), []byte(peak), 0); err != nil {
		return 0, fmt.Errorf("%w: %w", errNotTried, err)
	}
	return m.status("VmHWM")
}
