package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
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

func trySlowReaders(ctx context.Context, t *trial) (string, error) {
	m := must(t.serve(ctx, "--write-timeout", writeTimeout.String()))
	path := must(m.newResult(ctx, 32))
	if _, err := m.want(ctx, http.StatusOK, http.MethodGet, path, ""); err != nil { // its bytes are made
		return "", err
	}
	before := must(m.status("VmRSS"))
	m.client.CloseIdleConnections()
	open := must(m.connections())
	watched := m.watch(ctx, "/workflow/api/pools")
	begin := time.Now()
	slow := make([]net.Conn, slowClients)
	if err := together(slowClients, func(i int) (err error) {
		slow[i], err = m.openUnread(ctx, path)
		return err
	}); err != nil {
		return "", err
	}
	defer closeAll(slow)
	most, err := m.untilLeft(open + 2) // the client that watches has its own
	took := time.Since(begin)
	others, watchErr := watched()
	check(errors.Join(err, watchErr))
	if most > before+slowMemory || others.worst() > promptly {
		return "", fmt.Errorf("the process grew from %d to %d MiB, and others were answered within %v", before>>10, most>>10,
			ms(others.worst()))
	}
	return fmt.Sprintf("%d connections, all closed after %v; %d MiB before, at most %d MiB meanwhile; %d answers to "+
		"another client, the slowest after %v", slowClients, ms(took), before>>10, most>>10, len(others.all),
		ms(others.worst())), nil
}

// untilLeft waits until the mock has closed connections, and returns how much memory it took at most.
func (m *mock) untilLeft(want int) (most int64, err error) {
	for end := time.Now().Add(5 * writeTimeout); ; time.Sleep(20 * time.Millisecond) {
		now, err := m.status("VmRSS")
		if err != nil {
			return 0, err
		}
		most = max(most, now)
		open, err := m.connections()
		if err != nil || open <= want {
			return most, err
		}
		if time.Now().After(end) {
			return 0, fmt.Errorf("%v after it was not read, %d connections are still open, want %d at most", 5*writeTimeout,
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
