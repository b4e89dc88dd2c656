package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"svc.example/understudy/internal/tools/must"
)

var slowReaders = promise{
	name: "slow-readers",
	says: "Clients that do not read use little memory, are disconnected after `--write-timeout`, and do not block others.",
	tried: "40 clients ask for a result of 32 MiB and read only its beginning, with `--write-timeout 3s`; memory of the " +
		"process, its connections, and other clients' answers meanwhile",
	try: trySlowReaders,
}

const (
	slowClients  = 40
	writeTimeout = 3 * time.Second
	slowMemory   = 256 << 10 // KiB; with a copy for each they would take five times as much
)

func trySlowReaders(ctx context.Context, t *trial) string {
	m := t.serve(ctx, "--write-timeout", writeTimeout.String())
	path := m.newResult(ctx, 32)
	m.want(ctx, http.StatusOK, http.MethodGet, path, "") // its bytes are made
	before := m.status("VmRSS")
	m.client.CloseIdleConnections()
	open := m.connections()
	watched := m.watch(ctx, "/workflow/api/pools")
	begin := time.Now()
	slow := make([]net.Conn, slowClients)
	must.Together(slowClients, func(i int) { slow[i] = m.openUnread(ctx, path) })
	defer closeAll(slow)
	most := m.untilLeft(open + 2) // the client that watches has its own
	took := time.Since(begin)
	others := watched()
	if most > before+slowMemory || others.worst() > promptly {
		must.Fatalf("the process grew from %d to %d MiB, and others were answered within %v", before>>10, most>>10,
			ms(others.worst()))
	}
	return fmt.Sprintf("%d connections, all closed after %v; %d MiB before, at most %d MiB meanwhile; %d answers to "+
		"another client, the slowest after %v", slowClients, ms(took), before>>10, most>>10, len(others.all),
		ms(others.worst()))
}

// untilLeft waits until the mock has closed connections, and returns how much memory it took at most.
func (m *mock) untilLeft(want int) (most int64) {
	for end := time.Now().Add(5 * writeTimeout); ; time.Sleep(20 * time.Millisecond) {
		most = max(most, m.status("VmRSS"))
		open := m.connections()
		if open <= want {
			return most
		}
		if time.Now().After(end) {
			must.Fatalf("%v after it was not read, %d connections are still open, want %d at most", 5*writeTimeout,
				open, want)
		}
	}
}

func closeAll(connections []net.Conn) {
	for _, c := range connections {
		if c != nil {
			_ = c.Close()
		}
	}
}
