package meter_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/meter"
)

func TestMeter(t *testing.T) {
	t.Parallel()
	set := meter.New()
	pools := set.Operation("workflow", "getPool")
	set.Operation("core", "issueJob") // which nobody asks for
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for range 100 {
				pools.Count(200, 2*time.Millisecond)
				pools.Count(404, 3*time.Second)
			}
		})
	}
	group.Wait()
	var text strings.Builder
	set.Write(&text)
	for _, want := range []string{
		`understudy_requests_total{interface="workflow",operation="getPool",status="200"} 1000`,
		`understudy_requests_total{interface="workflow",operation="getPool",status="404"} 1000`,
		`understudy_request_duration_seconds_bucket{interface="workflow",operation="getPool",le="0.001"} 0`,
		`understudy_request_duration_seconds_bucket{interface="workflow",operation="getPool",le="0.0025"} 1000`,
		`understudy_request_duration_seconds_bucket{interface="workflow",operation="getPool",le="+Inf"} 2000`,
		`understudy_request_duration_seconds_count{interface="workflow",operation="getPool"} 2000`,
	} {
		if !strings.Contains(text.String(), want+"\n") {
			t.Errorf("no line %s in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "issueJob") {
		t.Error("an operation that was never called has series")
	}
}

func BenchmarkCount(b *testing.B) {
	o := meter.New().Operation("workflow", "getPool")
	o.Count(200, time.Millisecond)
	o.Count(404, time.Millisecond)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			o.Count(404, 50*time.Microsecond)
		}
	})
}
