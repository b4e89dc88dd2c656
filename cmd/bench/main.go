// Bench measures the budgets of the project, each as a ratio or a size in one run on one machine, and prints them as a
// table. It is what `task bench` runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
)

// measurement is one line of the table.
type measurement struct {
	what, budget string
	measure      func(context.Context) (result, seen string, err error)
}

func main() {
	long := flag.Bool("long", false, "check a recording of a million exchanges instead of 200,000")
	only := flag.String("only", "", "run only benchmarks with `WORDS` in their names")
	flag.Parse()
	exchanges := 200_000
	if *long {
		exchanges = 1_000_000
	}
	if err := run(context.Background(), os.Stdout, exchanges, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures what has the words in its name, each in a process of its own, so that none finds the memory and the caches
// that another has left.
func run(ctx context.Context, out io.Writer, exchanges int, only string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tbudget\tmeasured\tin detail")
	for _, l := range measurements(exchanges) {
		switch {
		case l.what == os.Getenv(alone):
			result, seen, err := l.measure(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", l.what, err)
			}
			_, err = fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", l.what, l.budget, result, seen)
			return err
		case os.Getenv(alone) == "" && strings.Contains(l.what, only):
			cmd := exec.CommandContext(ctx, os.Args[0], os.Args[1:]...) //nolint:gosec // this program
			cmd.Env = append(os.Environ(), alone+"="+l.what)
			cmd.Stdout, cmd.Stderr = table, os.Stderr
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", l.what, err)
			}
		}
	}
	return table.Flush()
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
		{"requests/s under 16 stuck queries in other worlds, against without", "≥ 0.90", besideStuck},
		{"requests/s with a console open that judges live, against without", "≥ 0.90", besideConsole},
		{"round trip through the transport", "≤ 10 µs", transport},
		{"AssertConforms at the end of a test", "≤ 5 ms", assertion},
		{"process start to first answer", "≤ 100 ms, 60 ms of CPU", start},
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
