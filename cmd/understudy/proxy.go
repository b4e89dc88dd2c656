package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

type proxyFlags struct {
	addressFlags
	logFlags
	tokenFlags
	checkFlags
	targets   *checkflags.Pairs
	check     bool
	record    string
	salt      saltFlag
	bodyLimit size
	upstream  upstreamFlags
	forward   forwardFlags
	drain     time.Duration
}

func newProxy() *cobra.Command {
	f := proxyFlags{bodyLimit: proxy.DefaultBodyLimit}
	c := &cobra.Command{
		Use:   "proxy --target NAME=URL [-- COMMAND [ARG...]]",
		Short: "Record the real service through a proxy",
		Long: `Stand before the real service, on the same addresses as understudy serve, and record
what goes through. Clients that are set to the mock need no other settings.

Requests go to the --target of their interface, and are passed on as they are, but for
the headers that contain addresses: Host, Origin and Referer there, and Location,
Content-Location, Link and the domain and path of cookies back. Addresses in bodies are
not rewritten; redirects to other servers stay as they are, and are not followed.
Streams, ranges, compressed bodies, trailers, HTTP/2 and upgrades pass unchanged.
Credentials and cookies go to the target of their own interface and nowhere else.

With --record, an exchange is written, without its secrets, before the last byte of
its answer is passed on. A body above --body-limit is recorded as its beginning, its
size and its SHA-256. The addresses in the recording are those of the service: give
understudy check the same pairs as --base.

What the service does not answer is answered by the proxy, with 502, or 504 if it took
too long, and a header X-Understudy-Error: dns, refused, unreachable, tls, timeout,
reset or upstream. The recording has a note and no response then. An interface without
a target is answered with 502 and no-target.

With --forward, the proxy is a forward proxy as well, for clients whose addresses cannot
be changed. For the hosts of the targets, and those of --forward-host, it has
certificates of the CA of understudy ca, so that it can record; all other hosts are
tunnelled untouched, and not recorded. What a client asks of a --forward-host goes to
the target of its interface. The environment of -- COMMAND has the variables by which
curl, Go, Python, Ruby, Git and Node (from 24 on, in fetch) find the proxy and trust
the CA; Java reads no such variables.

On a non-loopback address, clients must present a token, in Proxy-Authorization or
X-Understudy-Token; neither is passed on.

With --check, exchanges are judged while they come in, as by understudy check, whose
flags it takes: violations are written to standard error when they are found, those of
rules between exchanges at the end, and then the report. With -- COMMAND the report
goes to standard error as well, unless --output is given. The exit code is 1 if the
command has passed and the check has not, and 2 if nothing could be judged.

With -- COMMAND, the proxy runs the command when it is ready, and ends with it, as
understudy serve does.`,
		Example: `  # Record the tests of a client against a staging system
  understudy proxy --target core=https://core.staging.example.com \
    --target workflow=https://workflow.staging.example.com \
    --record traffic.ndjson -- go test ./...

  # A client whose addresses are built in: it finds the proxy and the CA in its environment
  understudy proxy --forward --target core=https://core.example.com --record traffic.ndjson -- ./client

  # Judge while it is recorded; the exit code is that of the tests, or else of the check
  understudy proxy --target core=https://core.staging.example.com --check -- npm test

  # Check what the service has answered
  understudy check --base core=https://core.staging.example.com/v3 traffic.ndjson`,
		Args: onlyCommand,
		RunE: f.run,
	}
	f.add(c)
	return c
}

func (f *proxyFlags) add(c *cobra.Command) {
	flags := c.Flags()
	f.targets = addPairsFlag(c, "target", "the base address of the service behind an interface (repeatable)",
		checkflags.Pairs{What: "URL"})
	f.addressFlags.add(c)
	flags.StringVar(&f.record, "record", "", "append every exchange to `FILE`, as NDJSON without secrets")
	f.salt.add(flags)
	flags.Var(&f.bodyLimit, "body-limit", "how many bytes of a body are recorded; of a longer one also a digest")
	f.upstream.add(flags)
	flags.BoolVar(&f.check, "check", false, "judge exchanges while they come in; the flags of understudy check apply")
	f.forward.add(c)
	f.tokenFlags.add(c, "token", "the `TOKEN` that clients must present (default: none on a loopback address; on any\n"+
		"other, one is generated and printed once, on standard error)")
	flags.DurationVar(&f.drain, "drain-time", defaultDrain,
		"close the connections of requests that have not ended `DURATION` after the proxy was asked to stop")
	f.logFlags.add(c)
	f.checkFlags.add(c)
}

func (f *proxyFlags) run(c *cobra.Command, command []string) error {
	lines := newDroppingWriter(c.ErrOrStderr())
	defer lines.close()
	log, err := f.logger(lines)
	if err != nil {
		return err
	}
	config, err := f.config(log)
	if err != nil {
		return err
	}
	documents, err := f.Documents()
	if err != nil {
		return err
	}
	documents.Only = f.names()
	if err := f.serves(documents); err != nil {
		return err
	}
	listeners, ca, err := f.open(c.Context())
	if err != nil {
		return err
	}
	defer listeners.close()
	if f.token == "" && slices.ContainsFunc(listeners, func(s *listener) bool { return !s.loopback() }) {
		f.token = rand.Text()
		fmt.Fprintf(c.ErrOrStderr(), "proxy: Proxy-Authorization: Bearer %s\n", f.token)
	}
	config.Token = f.token
	around := &around{c: c, command: command, log: log, environment: f.environment(listeners, ca)}
	if f.forward.on {
		if ca, err = f.forward.set(&config); err != nil {
			return err
		}
		defer f.forward.end()
		around.environment = append(around.environment, caEnvironment(ca)...)
		around.environment = append(around.environment, proxyEnvironment(listeners[0].url(), f.token, &config)...)
	}
	return f.recordAround(around, lines, config, func(config proxy.Config) error {
		return f.serve(around, listeners, ca, config)
	})
}

// recordAround runs the proxy with the recording and the check that are wanted.
func (f *proxyFlags) recordAround(a *around, lines io.Writer, config proxy.Config,
	serve func(proxy.Config) error,
) error {
	closeFile := func() error { return nil }
	if f.record != "" {
		file, err := openRecording(f.record, a.log)
		if err != nil {
			return err
		}
		config.Recording, closeFile = file, file.Close
	}
	if !f.check {
		return a.run(func() error { return errors.Join(serve(config), closeFile()) })
	}
	live, err := f.startCheck(a.c, lines, &config)
	if err != nil {
		return errors.Join(err, closeFile())
	}
	err = a.run(func() error { return errors.Join(serve(config), closeFile()) })
	return live.end(err, len(a.command) > 0)
}

// config returns the configuration of the proxy, but for what is recorded where.
func (f *proxyFlags) config(log *slog.Logger) (c proxy.Config, err error) {
	if len(f.targets.List) == 0 {
		return c, errors.New("want the services to stand before, as in --target core=https://core.example.com; see " +
			"understudy proxy --help")
	}
	if len(f.forward.hosts.List) > 0 && !f.forward.on {
		return c, errors.New("--forward-host: want --forward as well")
	}
	if err := f.find("token"); err != nil {
		return c, err
	}
	brand, err := specs.ParseBrand(f.Brand)
	if err != nil {
		return c, err
	}
	c = proxy.Config{
		Targets: map[specs.Interface]string{}, Brand: brand, BodyLimit: int64(f.bodyLimit), Log: log,
		Insecure: f.upstream.insecure, AnswerTimeout: f.upstream.timeout,
	}
	if f.record != "" {
		if c.Salt, err = f.salt.bytes(); err != nil {
			return c, err
		}
	}
	documents, err := f.Documents()
	if err != nil {
		return c, err
	}
	c.Specs, documents.Only = documents, nil
	for _, target := range f.targets.List {
		name := specs.Interface(target[0])
		if err := documents.Check(name); err != nil {
			return c, fmt.Errorf("--target: %w", err)
		}
		c.Targets[name] = target[1]
	}
	c.RootCAs, err = f.upstream.roots()
	return c, err
}

// names lists the interfaces that have a target.
func (f *proxyFlags) names() (list []specs.Interface) {
	for _, target := range f.targets.List {
		list = append(list, specs.Interface(target[0]))
	}
	return list
}

// environment returns the variables that a command has of the proxy.
func (f *proxyFlags) environment(l listeners, ca string) []string {
	list := l.environment(f.paths)
	list = append(list, "UNDERSTUDY_CONTROL_URL="+l[0].url()+mockserver.Address(specs.Control))
	if f.token != "" {
		list = append(list, proxyTokenVariable+"="+f.token)
	}
	if ca != "" {
		list = append(list, caEnvironment(ca)...)
	}
	return list
}

// serve makes the proxy and serves it until the context ends, or the command around which it runs.
func (f *proxyFlags) serve(a *around, l listeners, ca string, config proxy.Config) error {
	p, err := proxy.New(config)
	if err != nil {
		return err
	}
	if err := l.handle(config.Log, func(iface string) (*http.Server, error) {
		if iface == "" {
			return p.HTTPServer(p), nil
		}
		handler, err := p.Interface(specs.Interface(iface))
		return p.HTTPServer(handler), err
	}); err != nil {
		return err
	}
	var targets []string
	for _, name := range f.names() {
		targets = append(targets, string(name)+"="+p.Base(name))
	}
	err = l.serve(a.context(), f.drain, func() error {
		config.Log.Info("ready", "url", l[0].url(), "targets", strings.Join(targets, " "))
		return a.ready(func(w io.Writer) error { return writeReady(w, l, ca, f.paths, nil) })
	})
	if errors.Is(err, context.DeadlineExceeded) {
		config.Log.Warn("closed connections that were still in use", "drain-time", f.drain, "busy", p.Health().Busy)
		l.close()
		err = nil
	}
	config.Log.Info("stopped")
	return errors.Join(err, p.Close())
}

// forwardFlags say whether the proxy is a forward proxy as well, and for which hosts.
type forwardFlags struct {
	on    bool
	hosts *checkflags.Pairs

	folder string // of the file of certificates
}

func (f *forwardFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.on, "forward", false,
		"also be a forward proxy, for clients whose addresses cannot be changed: see understudy ca")
	f.hosts = addPairsFlag(c, "forward-host",
		"a host by which clients know an interface, besides that of its target (repeatable)",
		checkflags.Pairs{What: "HOST", Many: true})
}

// set completes the configuration of the proxy, and returns the file of certificates that clients are to trust: the CA
// and those of the system.
func (f *forwardFlags) set(config *proxy.Config) (string, error) {
	ca, path, err := openCA()
	if err != nil {
		return "", err
	}
	forward := &proxy.Forward{Hosts: map[string]specs.Interface{}}
	var names []string
	for _, pair := range f.hosts.List {
		if strings.ContainsAny(pair[1], "/@") {
			return "", fmt.Errorf("--forward-host %s=%s: want a host, as in %[1]s=%[1]s.example.com", pair[0], pair[1])
		}
		forward.Hosts[pair[1]] = specs.Interface(pair[0])
		names = append(names, (&url.URL{Host: pair[1]}).Hostname())
	}
	for _, target := range config.Targets {
		if u, err := url.Parse(target); err == nil {
			names = append(names, u.Hostname())
		}
	}
	if forward.TLS, err = ca.Config(names...); err != nil {
		return "", err
	}
	config.Forward = forward
	return f.bundle(path)
}

// bundle writes a file with the CA and the authorities of the system: other hosts are tunnelled, and have certificates
// of theirs.
func (f *forwardFlags) bundle(ca string) (path string, err error) {
	text, err := source.ReadFile(ca)
	if err != nil {
		return "", err
	}
	for _, file := range append([]string{os.Getenv("SSL_CERT_FILE")}, systemBundles...) {
		if system, err := source.ReadFile(file); err == nil {
			text = slices.Concat(text, []byte("\n"), system)
			break
		}
	}
	if f.folder, err = os.MkdirTemp("", "understudy-ca-"); err != nil {
		return "", fmt.Errorf("make a file of certificates: %w", err)
	}
	path = filepath.Join(f.folder, "ca.pem")
	return path, os.WriteFile(path, text, 0o644)
}

// end removes the file of certificates.
func (f *forwardFlags) end() {
	if f.folder != "" {
		_ = os.RemoveAll(f.folder)
	}
}

// systemBundles are the files in which systems keep the authorities that they trust.
var systemBundles = []string{
	"/etc/ssl/certs/ca-certificates.crt",                // Debian, Alpine
	"/etc/pki/tls/certs/ca-bundle.crt",                  // Fedora
	"/etc/ssl/ca-bundle.pem",                            // openSUSE
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // RHEL
	"/etc/ssl/cert.pem",                                 // macOS, OpenBSD
}

// proxyEnvironment returns the variables by which programs find a proxy. Addresses of this machine need none, unless
// the platform is there.
func proxyEnvironment(address, token string, config *proxy.Config) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if token != "" {
		u.User = url.UserPassword("understudy", token)
	}
	var direct []string
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if !isPlatformHost(config, host) {
			direct = append(direct, host)
		}
	}
	var list []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		list = append(list, name+"="+u.String())
	}
	none := strings.Join(direct, ",")
	return append(list, "NO_PROXY="+none, "no_proxy="+none, "ALL_PROXY=", "all_proxy=", "NODE_USE_ENV_PROXY=1")
}

func isPlatformHost(config *proxy.Config, host string) bool {
	for _, target := range config.Targets {
		if u, err := url.Parse(target); err == nil && u.Hostname() == host {
			return true
		}
	}
	return config.Forward.Hosts[host] != ""
}

// liveCheck is a check of a recording that is being written.
type liveCheck struct {
	flags  *checkFlags
	c      *cobra.Command
	spool  *spoolFile
	result checkResult
	done   chan struct{} // closed when all is judged
	close  func()
}

// startCheck begins to judge what a proxy records. It follows a copy of the recording on disk, so that a check that
// lags behind holds nothing up and needs no memory.
func (f *proxyFlags) startCheck(c *cobra.Command, lines io.Writer, config *proxy.Config) (*liveCheck, error) {
	live := &liveCheck{flags: &f.checkFlags, c: c, done: make(chan struct{})}
	stopping, lasting := c.Context(), context.WithoutCancel(c.Context())
	c.SetContext(lasting) // a signal ends the proxy; its report comes all the same
	err := live.prepare(f, lines, config)
	c.SetContext(stopping)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "understudy-*.ndjson")
	if err != nil {
		live.close()
		return nil, fmt.Errorf("make a temporary recording for --check: %w", err)
	}
	live.spool = &spoolFile{file: file, grown: make(chan struct{}, 1), over: make(chan struct{})}
	live.result.Source = contract.Files(file.Name())
	followed := contract.ReadLines(f.copyRecording(config, live.spool), &follower{spool: live.spool})
	go func() {
		defer close(live.done)
		live.result.Report, live.result.err = live.result.Checker.Check(lasting, followed)
	}()
	return live, nil
}

// prepare makes the checker, which writes violations as lines of the log.
func (l *liveCheck) prepare(f *proxyFlags, lines io.Writer, config *proxy.Config) (err error) {
	f.Guess = false
	written, read := f.files(nil)
	if f.record != "" {
		read = append(read, checkflags.File{Path: f.record, As: "--record " + f.record})
	}
	if err := checkflags.CheckOverwrites(written, read); err != nil {
		return err
	}
	opts := []contract.Option{contract.WithViolations(func(found *contract.Finding, shown []report.ExchangeLine) {
		var text bytes.Buffer // which is written at once
		fmt.Fprintf(&text, "violation: %s  %s  %s\n", found.Rule, found.Operation, found.Message)
		for _, line := range shown {
			fmt.Fprintf(&text, "  %v\n", line)
		}
		_, _ = text.WriteTo(lines)
	})}
	for _, name := range f.names() {
		base, err := config.Base(name)
		if err != nil {
			return err
		}
		opts = append(opts, contract.WithBaseURL(name, base))
	}
	l.result.Checker, l.result.note, l.close, err = f.checker(l.c, opts...)
	return err
}

// copyRecording makes the proxy record to a spool as well, and returns the name of the recording in the report.
func (f *proxyFlags) copyRecording(config *proxy.Config, spool *spoolFile) string {
	const live = "live"
	file, ok := config.Recording.(recordingFile)
	switch {
	case config.Recording == nil:
		config.Recording = spool
		return live
	case !ok:
		config.Recording = io.MultiWriter(config.Recording, spool)
		return live
	}
	config.Recording = copiedFile{file, spool}
	if info, err := file.Stat(); err == nil && info.Size() == 0 { // lines have the same numbers
		return f.record
	}
	return live
}

// copiedFile is a recording on disk, whose complete lines are copied.
type copiedFile struct {
	recordingFile
	copy io.Writer
}

func (f copiedFile) Write(line []byte) (int, error) {
	n, err := f.recordingFile.Write(line)
	if n == len(line) {
		_, err = f.copy.Write(line)
	}
	return n, err
}

// end waits until all is judged, and writes the report. It returns the error of the proxy if there is one, or else that
// of the check.
func (l *liveCheck) end(served error, hasCommand bool) error {
	defer l.close()
	close(l.spool.over)
	<-l.done
	defer func() {
		_ = l.spool.file.Close()
		_ = os.Remove(l.spool.file.Name())
	}()
	if hasCommand {
		l.c.SetOut(l.c.ErrOrStderr())
	}
	l.c.SetContext(context.WithoutCancel(l.c.Context()))
	err := l.flags.finish(l.c, l.result)
	if exit, ok := errors.AsType[*exitError](err); ok && hasCommand && l.flags.Output == "" {
		err = &exitError{exit.code, nil} // the report has said it
	}
	if served == nil {
		return err
	}
	if exit, ok := errors.AsType[*exitError](served); ok {
		return &exitError{exit.code, errors.Join(exit.err, err)}
	}
	return errors.Join(served, err)
}

// spoolFile is a temporary recording that is read while it is written.
type spoolFile struct {
	file  *os.File
	grown chan struct{}
	over  chan struct{} // closed when all is written
}

func (s *spoolFile) Write(line []byte) (int, error) {
	n, err := s.file.Write(line)
	select {
	case s.grown <- struct{}{}:
	default:
	}
	return n, err
}

// follower is a reader that waits for what is still to be written.
type follower struct {
	spool *spoolFile
	at    int64
}

func (f *follower) Read(p []byte) (int, error) {
	for {
		isOver := false
		select {
		case <-f.spool.over:
			isOver = true
		default:
		}
		n, err := f.spool.file.ReadAt(p, f.at)
		if f.at += int64(n); n > 0 {
			return n, nil
		}
		if isOver || !errors.Is(err, io.EOF) {
			return 0, err
		}
		select {
		case <-f.spool.grown:
		case <-f.spool.over:
		}
	}
}
