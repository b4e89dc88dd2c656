package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/tools/must"
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

func tryAmplification(ctx context.Context, t *trial) string {
	operations, all := attacks(t.random)
	m := t.serve(ctx, "--scenario", "full-account")
	b := &attackCounts{mock: m, statuses: map[int]int{}}
	watched := m.watch(ctx, control+"/health")
	end := time.Now().Add(t.time)
	each(4, len(all), func(i int) {
		if time.Now().Before(end) {
			b.send(ctx, all[i])
		}
	})
	health, peak := watched(), m.status("VmHWM")
	if peak > peakMemory || health.worst() > slowestAnswer {
		must.Fatalf("the process took %d MiB, and health %v", peak>>10, ms(health.worst()))
	}
	return fmt.Sprintf("%d of %d requests to %d operations: %s; the slowest took %v (%s), health never more than %v; "+
		"at most %d MiB", b.sent(), len(all), operations, b.summary(), ms(b.slowest), b.slowestOf, ms(health.worst()),
		peak>>10)
}

// attacks lists everything that can be tried, in random order.
func attacks(random *rand.Rand) (operations int, all []attack) {
	ways := hostiles()
	for _, name := range append(specs.Interfaces(), specs.Control) {
		document := must.Get(specs.Readable(name, specs.Neutral))
		for _, op := range document.All() {
			operations++
			for _, way := range ways {
				all = append(all, attack{op, way})
			}
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return operations, all
}

// attackCounts counts what became of attacks.
type attackCounts struct {
	*mock
	mu        sync.Mutex
	statuses  map[int]int // 0: the connection was closed without an answer
	slowest   time.Duration
	slowestOf string
}

// send makes an attack. The mock may close the connection before the request is sent, since it may be too large.
func (b *attackCounts) send(ctx context.Context, a attack) {
	ctx, cancel := context.WithTimeout(ctx, slowestAnswer)
	defer cancel()
	r := a.request(ctx, b.url)
	begin := time.Now()
	got, err := send(b.client, r)
	took := time.Since(begin)
	what := a.op.Name() + ", " + a.way.name
	if ctx.Err() != nil {
		must.Fatalf("%s: no answer after %v: %w", what, ms(took), err)
	}
	if got.status >= 500 {
		must.Fatalf("%s: %d after %v: %.300s", what, got.status, ms(took), got.body)
	}
	select {
	case <-b.ended:
		must.Fatalf("%s: the process has ended: %.600s", what, b.stderr())
	default:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.statuses[got.status]++
	if took > b.slowest {
		b.slowest, b.slowestOf = took, what
	}
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
func (a attack) request(ctx context.Context, address string) *http.Request {
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
	r := must.Get(http.NewRequestWithContext(ctx, a.op.Method, address+string(prefix)+path, http.NoBody))
	r.Header.Set("Authorization", authority)
	body := a.way.change(a.op, r)
	r.Body, r.ContentLength = http.NoBody, int64(len(body))
	if len(body) > 0 {
		r.Body = readCloser{bytes.NewReader(body)}
	}
	return r
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

// hostile is a way to make a small request that costs much.
type hostile struct {
	name   string
	change func(*specs.Operation, *http.Request) (body []byte)
}

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

// hostiles lists the ways. Bodies that are as large for every operation are made once.
func hostiles() []hostile {
	return []hostile{
		{"gzip of 5,000,000 empty objects", packed(func(op *specs.Operation) string { return objects(op, 5_000_000) })},
		{"gzip of 190,000 empty objects", packed(func(op *specs.Operation) string { return objects(op, 190_000) })},
		{"gzip of 190,000 members", packed(func(*specs.Operation) string { return members(190_000) })},
		{
			"gzip of 256 MiB of spaces",
			packed(func(*specs.Operation) string { return `{"a":1` + strings.Repeat(" ", 256<<20) + "}" }),
		},
		{"100,000 arrays in one another", plain(jsonType, func(op *specs.Operation) string {
			return fmt.Sprintf(`{%q:%s`, listMember(op), strings.Repeat("[", 100_000))
		})},
		{
			"numbers of a million digits",
			plain(jsonType, func(op *specs.Operation) string { return values(op, strings.Repeat("9", 1_000_000)) }),
		},
		{
			"numbers with exponents of nine digits",
			plain(jsonType, func(op *specs.Operation) string { return values(op, "-1e999999999") }),
		},
		{"texts of 2 MiB", plain(jsonType,
			func(op *specs.Operation) string { return values(op, `"`+strings.Repeat("é", 1<<20)+`"`) })},
		{
			"a form of 200,000 fields",
			plain(formType, func(op *specs.Operation) string { return fields(listMember(op)+"[]", 200_000) }),
		},
		{"a form of 9,999 fields", plain(formType, func(*specs.Operation) string { return fields("f", 9_999) })},
		{"9,999 parts", plain("multipart/form-data; boundary=b", func(*specs.Operation) string { return parts(9_999) })},
		{"MessagePack whose lengths lie", plain("application/octet-stream", func(*specs.Operation) string {
			return pack(strings.Repeat("\xdf\xff\xff\xff\xff\xdd\xff\xff\xff\xff", 10_000))
		})},
		{"100,000 parameters of the query", func(_ *specs.Operation, r *http.Request) []byte {
			r.URL.RawQuery = fields("q", 100_000)
			return nil
		}},
		{"50,000 headers", func(_ *specs.Operation, r *http.Request) []byte {
			for i := range 50_000 {
				r.Header.Set("X-Many-"+strconv.Itoa(i), "1")
			}
			return nil
		}},
	}
}

// plain makes a body of a media type.
func plain(media string, text func(*specs.Operation) string) func(*specs.Operation, *http.Request) []byte {
	return func(op *specs.Operation, r *http.Request) []byte {
		r.Header.Set("Content-Type", media)
		return []byte(text(op))
	}
}

// packed makes a body of JSON in gzip. Operations whose texts are the same share one.
func packed(text func(*specs.Operation) string) func(*specs.Operation, *http.Request) []byte {
	var mu sync.Mutex
	bodies := map[string][]byte{}
	return func(op *specs.Operation, r *http.Request) []byte {
		r.Header.Set("Content-Type", jsonType)
		r.Header.Set("Content-Encoding", "gzip")
		mu.Lock()
		defer mu.Unlock()
		member := listMember(op)
		if bodies[member] == nil {
			bodies[member] = []byte(pack(text(op)))
		}
		return bodies[member]
	}
}

func pack(text string) string {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is one that there is
	_, _ = w.Write([]byte(text))                    // nothing fails in memory
	_ = w.Close()
	return b.String()
}

// membersOf lists the members that a body of an operation may have.
func membersOf(op *specs.Operation) (names []string) {
	if schema := op.JSONBody(); schema != nil {
		for name := range schema.Properties {
			names = append(names, name)
		}
		for _, part := range slices.Concat(schema.AllOf, schema.OneOf, schema.AnyOf) {
			for name := range part.Value.Properties {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// listMember returns a member of a body that is a list, or else any.
func listMember(op *specs.Operation) string {
	names := membersOf(op)
	if len(names) == 0 {
		return "data"
	}
	for _, name := range names {
		if property := op.JSONBody().Properties[name]; property != nil && property.Value.Type.Is("array") {
			return name
		}
	}
	return names[0]
}

func objects(op *specs.Operation, n int) string {
	return fmt.Sprintf(`{%q:[%s{}]}`, listMember(op), strings.Repeat("{},", n-1))
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":{},`, i)
	}
	return "{" + strings.TrimSuffix(b.String(), ",") + "}"
}

// values gives up to four members of a body the same value.
func values(op *specs.Operation, value string) string {
	names := membersOf(op)
	list := []string{fmt.Sprintf(`"id":%s`, value)}
	for _, name := range names[:min(4, len(names))] {
		list = append(list, fmt.Sprintf(`%q:%s`, name, value))
	}
	return "{" + strings.Join(list, ",") + "}"
}

func fields(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d=1&", name, i)
	}
	return strings.TrimSuffix(b.String(), "&")
}

func parts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "--b\r\nContent-Disposition: form-data; name=\"p%d\"\r\n\r\n1\r\n", i)
	}
	return b.String() + "--b--\r\n"
}

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
	promptAnswer = 2 * time.Second // on a machine that does other things, too
	mostMemory   = 128 << 10       // KiB
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

func tryControlBodies(ctx context.Context, t *trial) string {
	document := must.Get(specs.Readable(specs.Control, specs.Neutral))
	m := t.serve(ctx)
	m.want(ctx, http.StatusOK, http.MethodPut, control+"/state", "{}") // the schema is compiled
	sent, operations, most, seen := 0, 0, int64(0), &times{}
	for _, op := range document.All() {
		if op.Spec.RequestBody == nil {
			continue
		}
		operations++
		path := control + strings.ReplaceAll(op.Path, "{world}", defaultWorld)
		for name, body := range controlBombs(op) {
			must.In(op.Name()+", "+name, func() {
				before := m.resetPeak()
				a := must.Get(m.call(ctx, op.Method, path, pack(body[1]), "Content-Type", body[0], "Content-Encoding", "gzip"))
				if a.status < 400 && body[0] != jsonType || a.status >= 500 {
					must.Fatalf("%d %.300s", a.status, a.body)
				}
				grown := m.status("VmHWM") - before
				if a.took > promptAnswer || grown > mostMemory {
					must.Fatalf("%v, and the process has taken %d MiB more than before", ms(a.took), grown>>10)
				}
				most = max(most, grown)
				sent++
				seen.add(a.took)
			})
		}
	}
	return fmt.Sprintf("%d bodies to %d operations, the slowest answered after %v; none took more than %d MiB",
		sent, operations, ms(seen.worst()), most>>10)
}

// resetPeak forgets how much memory the process had at most, and returns how much it has, in KiB.
func (m *mock) resetPeak() int64 {
	const peak = "5" // proc(5)
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", m.command.Process.Pid), []byte(peak), 0); err != nil {
		must.Fatalf("%w: %w", errNotTried, err)
	}
	return m.status("VmHWM")
}
