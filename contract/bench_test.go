package contract_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
)

// BenchmarkCheck measures how many exchanges a second are checked, and how much memory is in use when the recording is
// ten times as long: a flat checker shows the same for both.
func BenchmarkCheck(b *testing.B) {
	for name, line := range map[string]func(int) string{"repeating": repeating, "distinct": distinct} {
		b.Run(name, func(b *testing.B) {
			checker, err := contract.NewChecker(contract.WithEngine(libopenapi.New()))
			if err != nil {
				b.Fatal(err)
			}
			check(b, checker, line, 100) // the engines are made once in a process
			b.ReportAllocs()
			b.ResetTimer()
			start := time.Now()
			short := check(b, checker, line, b.N)
			perSecond := float64(b.N) / time.Since(start).Seconds()
			b.StopTimer()
			b.ReportMetric(perSecond, "exchanges/s")
			b.ReportMetric(float64(short)/(1<<20), "peak-MiB")
		})
	}
}

// check checks a recording of n exchanges and returns the most memory that was in use meanwhile.
func check(b *testing.B, checker *contract.Checker, line func(int) string, n int) (peak uint64) {
	b.Helper()
	r := &lines{line: line, n: n, sample: func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
	}}
	report, err := checker.Check(b.Context(), contract.Read("bench.ndjson", r))
	if err != nil {
		b.Fatal(err)
	}
	if report.Exchanges.Read != n || report.Failed() {
		b.Fatalf("read %d of %d, failed: %v: %v", report.Exchanges.Read, n, report.Failed(), report.Findings[:1])
	}
	return peak
}

// lines is a recording that is made while it is read.
type lines struct {
	line   func(int) string
	sample func()
	n, at  int
	rest   bytes.Buffer
}

func (l *lines) Read(p []byte) (int, error) {
	for l.rest.Len() < len(p) && l.at < l.n {
		l.rest.WriteString(l.line(l.at))
		if l.at++; l.at%20_000 == 0 {
			l.sample()
		}
	}
	n, err := l.rest.Read(p)
	if n > 0 {
		err = nil
	}
	return n, err
}

var _ io.Reader = (*lines)(nil)

const benchLine = `{"seq":%d,"start":%q,"end":%[2]q,"world":"default","request":{"method":%q,"url":"http://127.0.0.1:4010/workflow%s",` +
	`"headers":[["Authorization","SVC1 [redacted:1a2b3c4d]"],["User-Agent","client/1.0"],["Accept","application/json"]]},` +
	`"response":{"status":200,"headers":[["Content-Type","application/json"],["Date","Mon, 04 May 2026 01:20:05 GMT"]],` +
	`"body":{"text":%q}},"redacted":["Authorization"]}` + "\n"

func repeating(i int) string {
	at := time.Unix(int64(i), 0).UTC().Format(time.RFC3339Nano)
	if i%2 == 0 {
		return fmt.Sprintf(benchLine, i+1, at, "GET", "/api/pools",
			`{"pools":[{"id":"1","name":"default","concurrencyLimit":100,"default":true}]}`)
	}
	return fmt.Sprintf(benchLine, i+1, at, "GET", fmt.Sprint("/api/attempts/", i%100+1), attempt(i%100+1))
}

func distinct(i int) string {
	at := time.Unix(int64(i), 0).UTC().Format(time.RFC3339Nano)
	return fmt.Sprintf(benchLine, i+1, at, "GET", fmt.Sprint("/api/attempts/", i+1), attempt(i+1))
}

func attempt(id int) string {
	return fmt.Sprintf(`{"id":"%d","index":1,"project":{"id":"101","name":"shop_pipeline"},"workflow":{"id":"2101",`+
		`"name":"daily_orders"},"sessionId":"%[1]d","sessionUuid":"5a0d3c1e-7b62-4f0e-9d14-1c8e62f0a7b3","sessionTime":`+
		`"2026-05-04T00:00:00+09:00","retryAttemptName":null,"params":{"report_day":"2026-05-%02[2]d"},"poolId":"1","status":`+
		`"success","done":true,"success":true,"cancelRequested":false,"createdAt":"2026-05-04T01:20:05Z","finishedAt":`+
		`"2026-05-04T01:41:%02[2]dZ"}`, id, id%28+1)
}
