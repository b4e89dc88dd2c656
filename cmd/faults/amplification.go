package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

var amplification = promise{
	name: "amplification",
	says: "What a request costs is bounded by its length, and no request is answered with 5xx.",
	tried: "every operation of all documents, extras and control included, with each of 14 hostile bodies, queries and " +
		"headers (bombs, millions of members, depth, digits, fields, parts, lying lengths), in random order by 4 clients; " +
		"peak memory and times",
	long: true,
	try:  tryAmplification,
}

const (
	peakMemory    = 1536 << 10 // KiB
	slowestAnswer = 15 * time.Second
)

// attack is one hostile request.
type attack struct {
	op  *specs.Operation
	way hostile
}

func tryAmplification(ctx context.Context, t *trial) (string, error) {
	operations, all, err := attacks(t.random)
	if err != nil {
		return "", err
	}
	m, err := t.serve(ctx, "--scenario", "full-account")
	if err != nil {
		return "", err
	}
	b := &attackCounts{mock: m, statuses: map[int]int{}}
	watched := m.watch(ctx, control+"/health")
	end := time.Now().Add(t.time)
	err = each(4, len(all), func(i int) error {
		if time.Now().After(end) {
			return nil
		}
		return b.send(ctx, all[i])
	})
	health, watchErr := watched()
	peak, peakErr := m.status("VmHWM")
	if err := errors.Join(err, watchErr, peakErr); err != nil {
		return "", err
	}
	if peak > peakMemory || health.worst() > slowestAnswer {
		return "", fmt.Errorf("the process took %d MiB, and health %v", peak>>10, ms(health.worst()))
	}
	return fmt.Sprintf("%d of %d requests to %d operations: %s; the slowest took %v (%s), health never more than %v; "+
		"at most %d MiB", b.sent(), len(all), operations, b.summary(), ms(b.slowest), b.slowestOf, ms(health.worst()),
		peak>>10), nil
}

// attacks lists everything that can be tried, in random order.
func attacks(random *rand.Rand) (operations int, all []attack, err error) {
	ways := hostiles()
	for _, name := range append(specs.Interfaces(), specs.Control) {
		document, err := specs.Readable(name, specs.Neutral)
		if err != nil {
			return 0, nil, err
		}
		for _, op := range document.All() {
			operations++
			for _, way := range ways {
				all = append(all, attack{op, way})
			}
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return operations, all, nil
}

// attackCounts counts what became of attacks.
type attackCounts struct {
	*mock
	mu        sync.Mutex
	statuses  map[int]int // 0: the connection was closed without an answer
	slowest   time.Duration
	slowestOf string
}

// send makes an attack. Connections may be closed while a request is still sent, as it may be too large.
func (b *attackCounts) send(ctx context.Context, a attack) error {
	ctx, cancel := context.WithTimeout(ctx, slowestAnswer)
	defer cancel()
	r, err := a.request(ctx, b.url)
	if err != nil {
		return err
	}
	begin := time.Now()
	got, err := send(b.client, r)
	took := time.Since(begin)
	what := a.op.Name() + ", " + a.way.name
	if ctx.Err() != nil {
		return fmt.Errorf("%s: no answer after %v: %w", what, ms(took), err)
	}
	if got.status >= 500 {
		return fmt.Errorf("%s: %d after %v: %.300s", what, got.status, ms(took), got.body)
	}
	select {
	case <-b.ended:
		return fmt.Errorf("%s: the process has ended: %.600s", what, b.stderr())
	default:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.statuses[got.status]++
	if took > b.slowest {
		b.slowest, b.slowestOf = took, what
	}
	return nil
}

func (b *attackCounts) sent() (n int) {
	for _, count := range b.statuses {
		n += count
	}
	return n
}

// summary returns how many were answered and how.
func (b *attackCounts) summary() string {
	var classes [5]int
	for status, n := range b.statuses {
		classes[status/100] += n
	}
	return fmt.Sprintf("%d × 2xx, %d × 4xx, %d connections closed while sending, no 5xx", classes[2], classes[4],
		classes[0])
}

// request makes the request of an attack.
func (a attack) request(ctx context.Context, address string) (*http.Request, error) {
	path := a.op.Document.BasePath + a.op.Path
	for _, ref := range a.op.Parameters {
		if p := ref.Value; p.In == openapi3.ParameterInPath {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", exampleOf(p))
		}
	}
	prefix := "/" + a.op.Interface
	if a.op.Interface == specs.Control {
		prefix = control
	}
	r, err := http.NewRequestWithContext(ctx, a.op.Method, address+string(prefix)+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", authority)
	body := a.way.change(a.op, r)
	r.Body, r.ContentLength = http.NoBody, int64(len(body))
	if len(body) > 0 {
		r.Body = readCloser{bytes.NewReader(body)}
	}
	return r, nil
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// exampleOf returns a value of a path parameter.
func exampleOf(p *openapi3.Parameter) string {
	for _, value := range []any{p.Example, p.Schema.Value.Example} {
		if value != nil {
			return fmt.Sprint(value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Examples)) {
		return fmt.Sprint(p.Examples[name].Value.Value)
	}
	return "1"
}
