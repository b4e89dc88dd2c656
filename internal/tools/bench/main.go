// Bench measures the budgets of the project, each as a ratio or a size in one run on one machine, and prints them as a
// table. It is what `task bench` runs.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"svc.example/understudy/internal/tools/must"
	"svc.example/understudy/specs"
)

// measurement is one line of the table.
type measurement struct {
	what, budget string
	measure      func(context.Context) (result, seen string)
}

func main() {
	long := flag.Bool("long", false, "check a recording of a million exchanges instead of 200,000")
	only := flag.String("only", "", "run only benchmarks with `WORDS` in their names")
	flag.Parse()
	exchanges := 200_000
	if *long {
		exchanges = 1_000_000
	}
	if err := must.Catch(func() { run(context.Background(), os.Stdout, exchanges, *only) }); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures what has the words in its name, each in a process of its own, so that none finds the memory and the
// caches that another has left, and with a temporary folder of its own.
func run(ctx context.Context, out io.Writer, exchanges int, only string) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tbudget\tmeasured\tin detail")
	for _, l := range measurements(exchanges) {
		switch {
		case l.what == os.Getenv(alone):
			must.In(l.what, func() {
				result, seen := l.measure(ctx)
				must.Get(fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", l.what, l.budget, result, seen))
			})
			return
		case os.Getenv(alone) == "" && strings.Contains(l.what, only):
			dir := must.Get(os.MkdirTemp("", "understudy-bench"))
			cmd := exec.CommandContext(ctx, os.Args[0], os.Args[1:]...) //nolint:gosec // this program
			cmd.Env = append(os.Environ(), alone+"="+l.what, "TMPDIR="+dir)
			cmd.Stdout, cmd.Stderr = table, os.Stderr
			err := cmd.Run()
			_ = os.RemoveAll(dir) // the system clears it, too
			must.In(l.what, func() { must.Do(err) })
		}
	}
	must.Do(table.Flush())
}

// alone is the variable of the environment that names what a process measures.
const alone = "UNDERSTUDY_BENCH"

func measurements(exchanges int) []measurement {
	return []measurement{
		{"GET one pool, compared with a bare handler", "≥ 0.75", getOne},
		{"POST that creates a pool, likewise", "≥ 0.50", create},
		{"POST that creates a pool rule, likewise", "≥ 0.50", createRule},
		{"POST of an event, likewise", "≥ 0.50", ingest},
		{"GET the status of a finished job, likewise", "≥ 0.75", pollJob},
		{"GET one product of a user's document, likewise", "≥ 0.80", getOwn},
		{"POST that creates a product, likewise", "≥ 0.60", createOwn},
		{"requests/s under 16 stuck queries in other worlds, against without", "≥ 0.90", besideStuck},
		{"requests/s with a console open that judges live, against without", "≥ 0.90", besideConsole},
		{"round trip through the transport", "≤ 10 µs", transport},
		{"AssertConforms at the end of a test", "≤ 5 ms", assertion},
		{"process start to first answer", "≤ 100 ms, 60 ms of CPU", start},
		{"start with a document of 3 MB of YAML", "≤ 0.5 s", startOwn(3<<20, "shop.yaml")},
		{"start with a document of 11 MB of JSON", "≤ 1.5 s, 200 MiB", startOwn(11<<20, "shop.json")},
		{"fork of a full world", "≤ 50 µs", fork},
		{"memory of an idle world", "≤ 2 KiB", idleWorld},
		{"memory of a world that was used once", "≤ 256 KiB", usedWorld},
		{"check of 39 exchanges of all interfaces", "≤ 0.60 s of CPU", smallChecks},
		{"check of a recording", "≥ 100,000/s", checkRecording(exchanges, repeatedTraffic)},
		{"check of mixed traffic", "≥ 50,000/s", checkRecording(exchanges/2, mixedTraffic)},
		{"requests/s through the recording proxy, compared with a bare ReverseProxy", "≥ 0.50", proxyCosts},
		{"memory of the proxy for a download of 2 GiB", "≤ 32 MiB", proxyDownload},
		{"memory of the proxy for many requests", "≤ 32 MiB", proxyRequests(exchanges)},
		{"check against a document of 800 KB, compared with ours", "≤ 1.50", checkByLarge},
	}
}

// start builds the binary and takes the best of ten starts, from exec to the answer of a first request.
func start(ctx context.Context) (string, string) {
	binary := build(ctx, "understudy")
	best, worst, leastCPU := time.Hour, time.Duration(0), time.Hour
	for range 10 {
		took, cpu := startOnce(ctx, binary)
		best, worst, leastCPU = min(best, took), max(worst, took), min(leastCPU, cpu)
	}
	return fmt.Sprintf("%d ms, %d ms of CPU", best.Milliseconds(), leastCPU.Milliseconds()),
		fmt.Sprintf("best of ten, the worst %d ms", worst.Milliseconds())
}

// startOnce starts the process, sends a request, and ends it.
func startOnce(ctx context.Context, binary string) (took, cpu time.Duration) {
	begin := time.Now()
	p := serveProcess(ctx, binary)
	defer func() { cpu = p.end() }()
	body := fetch(ctx, p.Interfaces[specs.Workflow]+"/api/pools")
	defer body.Close()
	return time.Since(begin), 0
}

// mockProcess is a mock in a process of its own, with what its first line says.
type mockProcess struct {
	URL        string            `json:"url"`
	Interfaces map[string]string `json:"interfaces"`
	command    *exec.Cmd
}

// serveProcess starts a mock, and returns when it is ready.
func serveProcess(ctx context.Context, binary string, flags ...string) *mockProcess {
	flags = append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)
	p := &mockProcess{command: exec.CommandContext(ctx, binary, flags...)} //nolint:gosec // this program's own
	out := must.Get(p.command.StdoutPipe())
	must.Do(p.command.Start())
	must.Do(json.Unmarshal(must.Get(bufio.NewReader(out).ReadBytes('\n')), p))
	return p
}

// memory returns the most memory that the process has had, in bytes; 0 where the system does not say it.
func (p *mockProcess) memory() (bytes int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(rest, &bytes)
	return bytes << 10
}

// end kills the process, and returns the CPU time that it has taken.
func (p *mockProcess) end() (cpu time.Duration) {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	return p.command.ProcessState.UserTime() + p.command.ProcessState.SystemTime()
}

// fetch asks for something as an administrator, and returns what is answered with 200.
func fetch(ctx context.Context, url string) io.ReadCloser {
	r := must.Get(http.NewRequestWithContext(ctx, http.MethodGet, url, nil))
	r.Header.Set("Authorization", "SVC1 1/admin")
	response, err := http.DefaultClient.Do(r)
	must.Do(err)
	if response.StatusCode != http.StatusOK {
		_ = response.Body.Close()
		must.Fatalf("%s is answered with %s", url, response.Status)
	}
	return response.Body
}
