package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/engine/process"
)

// TestMain makes this test binary stand in for the executables of engines, as its first argument says.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if run := roles()[os.Args[1]]; run != nil {
			run()
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func roles() map[string]func() {
	say := func(text string) func() {
		return func() {
			_, _ = os.Stdout.WriteString(text)
			time.Sleep(time.Hour) // until it is killed
		}
	}
	return map[string]func(){
		"engine":            serve,
		"engine-elsewhere":  func() { _, _ = syscall.Setsid(); serve() },
		"another-version":   say("understudy-engine 2 fake v1.0.0\n"),
		"another-program":   say("usage: other [OPTIONS]\n"),
		"silent":            say(""),
		"ends-at-once":      func() {},
		"garbage":           say("understudy-engine 1 fake v1.0.0\n\x07\x07\x07 and more garbage"),
		"closes-its-output": func() { _ = os.Stdout.Close(); time.Sleep(time.Hour) },
		"parent":            parent,
	}
}

func serve() {
	process.LimitMemory()
	if err := process.Serve(os.Stdin, os.Stdout, fake{}); err != nil {
		os.Exit(1)
	}
}

// parent starts an engine, prints its process id, and waits to be killed.
func parent() {
	e := process.New(context.Background(), process.Config{Path: os.Args[0], Args: []string{"engine"}})
	schemas, err := e.Load(engine.Operation{})
	if err != nil {
		os.Exit(1)
	}
	faults, err := schemas.RequestBody("", []byte("pid"))
	if err != nil || len(faults) != 1 {
		os.Exit(1)
	}
	go func() { _, _ = schemas.RequestBody("", []byte("hang")) }()
	_, _ = os.Stdout.WriteString(faults[0].Message + "\n")
	time.Sleep(time.Hour)
}

// fake is an engine that does what a message says.
type fake struct{}

func (fake) About() engine.About { return engine.About{Name: "fake", Version: "v1.0.0"} }

func (fake) Load(op engine.Operation) (engine.Schemas, error) {
	if op.Template == "/broken" {
		return nil, errors.New("the document is broken")
	}
	return fakeSchemas{op}, nil
}

type fakeSchemas struct{ op engine.Operation }

func (s fakeSchemas) RequestBody(contentType string, text []byte) ([]engine.Fault, error) {
	switch string(text) {
	case "crash":
		go func() { panic("nobody recovers this") }()
		time.Sleep(time.Hour)
	case "hang":
		time.Sleep(time.Hour)
	case "exit":
		os.Exit(0)
	case "close":
		_ = os.Stdout.Close()
		time.Sleep(time.Hour)
	case "print":
		fmt.Print(strings.Repeat("loading... ", 100)) //nolint:forbidigo // a library that writes where it should not
		time.Sleep(time.Hour)
	case "memory":
		var hoard [][]byte
		for {
			hoard = append(hoard, make([]byte, 1<<20))
			if time.Sleep(time.Millisecond); hoard[0][0] != 0 {
				return nil, nil
			}
		}
	case "memory at once":
		return []engine.Fault{{Message: string(make([]byte, 1<<30))}}, nil
	case "error":
		return nil, errors.New("not this one")
	case "pid":
		return []engine.Fault{{Message: fmt.Sprint(os.Getpid())}}, nil
	}
	return []engine.Fault{{
		Path:    []string{s.op.Method, s.op.Template, string(s.op.Source), contentType},
		Message: string(text),
	}}, nil
}

func (s fakeSchemas) ResponseBody(status int, contentType string, text []byte) ([]engine.Fault, error) {
	if len(text) == 0 {
		return nil, nil
	}
	return []engine.Fault{{Path: []string{s.op.Template, fmt.Sprint(status), contentType}, Message: string(text)}}, nil
}

func (fakeSchemas) Parameters(r engine.Request) ([]engine.Fault, error) {
	return []engine.Fault{{Path: r.Ignored, Message: fmt.Sprint(r.Path, r.RawPath, r.RawQuery, r.Header, r.Template)}}, nil
}
