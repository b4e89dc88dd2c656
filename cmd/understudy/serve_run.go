package main

import (
	"fmt"
	"log/slog"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/specs"
)

// environment returns the variables that a command has of the server.
func (f *serveFlags) environment(l listeners, ca string) []string {
	list := append(l.environment(f.paths),
		"UNDERSTUDY_CONTROL_URL="+l[0].url()+mockserver.Address(specs.Control))
	if f.token != "" {
		list = append(list, tokenVariable+"="+f.token)
	}
	if ca != "" {
		list = append(list, caEnvironment(ca)...)
	}
	return list
}

// closeRemaining closes the connections that are left when the time to drain is over. Answers that are cut off by that
// are lost unless they are recorded; requests that have no answer yet leave no trace.
func (f *serveFlags) closeRemaining(l listeners, server *mockserver.Server, log *slog.Logger) error {
	undelivered := server.Undelivered()
	log.Warn("closed connections that were still in use", "drain-time", f.drain, "undelivered", undelivered)
	l.close()
	if undelivered == 0 || f.record != "" {
		return nil
	}
	return fmt.Errorf("%d responses were cut off: their clients had not read them %v after the server was asked to stop",
		undelivered, f.drain)
}

// engine returns the engine of queries, with enough memory to read all records that a world may keep.
func (f *serveFlags) engine() *sqlite.Engine {
	return sqlite.New(sqlite.WithMemoryLimit(max(sqlite.DefaultMemoryLimit, 4*int64(f.recordLimit))))
}
