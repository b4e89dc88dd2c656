package main_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

// faultColumns are the columns of the tables in docs/guide/faults.md that say what clients see, by their heading.
var faultColumns = map[string]struct {
	sees  func(*testing.T, faultCall) string
	doors []string
}{
	"curl":            {curlSees, []string{"port", "TLS"}},
	"Go's client":     {goSees, []string{"port", "TLS"}},
	"Python's urllib": {sees("python3", "-c", pythonFaultClient), []string{"port", "TLS"}},
	"Node's fetch":    {sees("node", "-e", nodeFaultClient), []string{"port", "TLS"}},
	"curl, HTTP/2":    {curlSees, []string{"HTTP/2"}},
	"Go, HTTP/2":      {goSees, []string{"HTTP/2"}},
	"Node's http2":    {sees("node", "-e", nodeHTTP2FaultClient), []string{"HTTP/2"}},
}

// resetSeenAsEnd holds what some clients see of a reset that they take for the end of the connection, and through what:
// the ssl module of Python 3.10 to 3.12 always does (https://github.com/python/cpython/issues/115627), and Node does if
// it reads what has come only after the reset, as on a busy machine.
var resetSeenAsEnd = map[seenFault][]string{
	{"network=reset", "Python's urllib", "RemoteDisconnected"}:                               {"TLS"},
	{"network=resetInBody", "Python's urllib", "IncompleteRead"}:                             {"TLS"},
	{"network=resetInBody", "Node's fetch", "TypeError UND_ERR_RES_CONTENT_LENGTH_MISMATCH"}: {"port", "TLS"},
}

// seenFault is a cell of these tables: what a client sees of a GET of a pool, whose answer has 64 bytes.
type seenFault struct{ fault, column, seen string }

var (
	faultTable = regexp.MustCompile(`(?m)^\| fault \|( curl.+)\|\n\|[-|]+\n((?:\|.*\n)+)`)
	faultCell  = regexp.MustCompile("^`(.*)`$")
)

// seenFaults returns the cells of the tables in the guide.
func seenFaults(t *testing.T) (cells []seenFault) {
	t.Helper()
	for _, table := range faultTable.FindAllStringSubmatch(pages(t)["docs/guide/faults.md"], -1) {
		columns := strings.Split(table[1], "|")
		for row := range strings.Lines(table[2]) {
			words := strings.Split(strings.Trim(row, "|\n"), "|")
			fault := faultCell.FindStringSubmatch(strings.TrimSpace(words[0]))
			if fault == nil || len(words) != len(columns)+1 {
				t.Fatalf("not a row about a fault: %s", row)
			}
			for i, column := range columns {
				cells = append(cells, seenFault{fault[1], strings.TrimSpace(column), strings.TrimSpace(words[i+1])})
			}
		}
	}
	return cells
}

// Clients see each fault as the guide says: as far as they are on the machine, through the port, TLS and HTTP/2, and
// Go's client through the transport.
func TestClientsSeeFaults(t *testing.T) {
	t.Parallel()
	plain, secure := serve(t), serveIn(t, t.TempDir(), "--tls")
	const pool = "/workflow/api/pools/1"
	untested := map[string]bool{}
	for name := range faultColumns {
		untested[name] = true
	}
	for _, cell := range seenFaults(t) {
		column, known := faultColumns[cell.column]
		if !known {
			t.Fatalf("unknown client %q", cell.column)
		}
		delete(untested, cell.column)
		c := faultCall{fault: cell.fault, seconds: "30"}
		if strings.HasPrefix(cell.fault, "delay=") || strings.HasSuffix(cell.fault, "noAnswer") {
			c.seconds = "0.5"
		}
		for _, door := range column.doors {
			c := c
			if c.url = plain.ready.URL + pool; door != "port" {
				c.url, c.ca, c.http2 = secure.ready.URL+pool, secure.ready.CA, door == "HTTP/2"
			}
			t.Run(cell.fault+"/"+cell.column+"/"+door, func(t *testing.T) {
				t.Parallel()
				got := column.sees(t, c)
				if got != cell.seen && !slices.Contains(resetSeenAsEnd[seenFault{cell.fault, cell.column, got}], door) {
					t.Errorf("it sees %q, want %q", got, cell.seen)
				}
			})
		}
		if cell.column == "Go's client" {
			t.Run(cell.fault+"/"+cell.column+"/transport", func(t *testing.T) {
				t.Parallel()
				c.url = mockserver.DefaultBaseURL("workflow") + "/api/pools/1"
				if got := seenByGo(t, mockserver.NewTransport(t).Client(), c); got != cell.seen {
					t.Errorf("it sees %q, want %q", got, cell.seen)
				}
			})
		}
	}
	for name := range untested {
		t.Errorf("the guide has no column %q", name)
	}
}

// Faults of the command line are in every world of a scenario.
func TestServeFaults(t *testing.T) {
	t.Parallel()
	mock := serve(t, "--fault", "workflow.getPool nth=2 status=503 retryAfter=2s",
		"--fault", "workflow.listPools status=429")
	curl := func(path string) string {
		line, _ := get(t, http.DefaultClient, mock.ready.URL+path)
		return line
	}
	for _, want := range []string{"200 OK", "503 Service Unavailable", "200 OK"} {
		if got := curl("/workflow/api/pools/1"); got != "HTTP/1.1 "+want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := curl("/workflow/api/pools"); !strings.Contains(got, "429") {
		t.Errorf("got %s, want 429", got)
	}
}
