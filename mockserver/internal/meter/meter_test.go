package meter_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// Each family has its type, once, whatever the library has written, and ours have help.
func TestDescribe(t *testing.T) {
	t.Parallel()
	got := string(meter.Describe([]byte(`# HELP understudy_worlds
# TYPE understudy_worlds gauge
understudy_worlds 3
understudy_requests_total{operation="getPool",status="200"} 1
understudy_requests_total{operation="getPool",status="404"} 1
understudy_request_duration_seconds_bucket{operation="getPool",le="+Inf"} 2
understudy_request_duration_seconds_sum{operation="getPool"} 0.5
understudy_request_duration_seconds_count{operation="getPool"} 2
understudy_request_duration_seconds_bucket{operation="listPools",le="+Inf"} 0
go_gc_duration_seconds{quantile="0"} 0
go_gc_duration_seconds_sum 0
go_gc_duration_seconds_count 0
go_cpu_count 2
go_gc_forced_count 0
`)))
	const want = `# HELP understudy_worlds Worlds that there are.
# TYPE understudy_worlds gauge
understudy_worlds 3
# HELP understudy_requests_total Requests by interface, operation and status.
# TYPE understudy_requests_total counter
understudy_requests_total{operation="getPool",status="200"} 1
understudy_requests_total{operation="getPool",status="404"} 1
# HELP understudy_request_duration_seconds Time from a request until its answer leaves.
# TYPE understudy_request_duration_seconds histogram
understudy_request_duration_seconds_bucket{operation="getPool",le="+Inf"} 2
understudy_request_duration_seconds_sum{operation="getPool"} 0.5
understudy_request_duration_seconds_count{operation="getPool"} 2
understudy_request_duration_seconds_bucket{operation="listPools",le="+Inf"} 0
# TYPE go_gc_duration_seconds summary
go_gc_duration_seconds{quantile="0"} 0
go_gc_duration_seconds_sum 0
go_gc_duration_seconds_count 0
# TYPE go_cpu_count gauge
go_cpu_count 2
# TYPE go_gc_forced_count counter
go_gc_forced_count 0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
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
