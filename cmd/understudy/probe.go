package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/replay/probe"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/internal/relay"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// The bounds of a probe by default.
const (
	defaultProbes = 1000
	politeRate    = 10 // requests in a second, to another machine
)

type probeFlags struct {
	checkFlags
	targets  *checkflags.Pairs
	upstream upstreamFlags
	headers  []string
	record   string
	rate     float64
	options  probe.Options
}

func newProbe() *cobra.Command {
	var f probeFlags
	c := &cobra.Command{
		Use:   "probe --target NAME=URL",
		Short: "Make requests of a document to a mock or a staging system, and check the answers",
		Long: `Make requests of a document, send them to a mock or to a staging system, and check
what is answered, as understudy check does.

The requests are valid ones, in the order of lives: what one makes, later ones show,
list, change and delete, with ids from answers, and with other documented values. Then
come requests with one fault each that the document forbids: a required member is
missing, a value has another type, is out of its range or none of those documented, the
body is malformed or has another media type, nothing has the id, credentials are
missing. An answer with 5xx is an error; a success for what the document forbids is
a warning; everything else is judged as understudy check judges it. The requests are
recorded with a header X-Understudy-Probe that says what each tries.

Only GET, HEAD, OPTIONS and QUERY are sent, unless --unsafe is given. Then the probe
makes and changes things. It deletes only what it made itself, and does so at the end.
With the same seed, against the same state, it sends the same requests.

An interrupt ends the probe; what was recorded until then is checked.

Exit code 0: conforms. 1: there are violations, as with understudy check. 2: could not
probe, because a flag is wrong, a document cannot be loaded, or nothing answers.`,
		Example: `  # Read what a staging system answers, and hold it against your document
  understudy probe --spec shop=openapi.yaml --target shop=https://shop.staging.example --key "$TOKEN"

  # Make, change and delete things as well, on a system that may be changed
  understudy probe --spec shop=openapi.yaml --target shop=http://127.0.0.1:8080 --unsafe --record probe.ndjson

  # Some operations only, and the smallest recordings that show what is wrong
  understudy probe --spec shop=openapi.yaml --target shop=http://127.0.0.1:8080 \
    --operation 'shop.*Order*' --method GET --minimize minimal`,
		Args: exactArgs(0, "no arguments"),
		RunE: f.run,
	}
	f.targets = addPairsFlag(c, "target", "the address of an interface (repeatable)", checkflags.Pairs{What: "URL"})
	flags := c.Flags()
	flags.StringArrayVar(&f.options.Operations, "operation", nil,
		"call only operations with names like `PATTERN`, such as shop.list* (repeatable)")
	flags.StringSliceVar(&f.options.Methods, "method", nil, "send only requests of these `METHODS`, such as GET,POST")
	flags.BoolVar(&f.options.Unsafe, "unsafe", false,
		"send requests that may change something, too: POST, PUT, PATCH, and DELETE of what was made")
	flags.BoolVar(&f.options.ValidOnly, "valid", false, "send one valid request of each operation, and none with a fault")
	flags.IntVar(&f.options.Limit, "requests", defaultProbes, "send at most `N` requests; 0: as many as there are")
	flags.Float64Var(&f.rate, "rate", 0, fmt.Sprintf(
		"send at most `N` requests in a second (default: %d to another machine, any number to this one)", politeRate))
	flags.Uint64Var(&f.options.Seed, "seed", 0, "the `NUMBER` that seeds the values that are made up")
	flags.StringVar(&f.options.Key, "key", "",
		"show `KEY` by the security schemes of the document; USER:PASSWORD of basic ones (default $"+keyVariable+")")
	flags.StringArrayVar(&f.headers, "header", nil,
		"send a header with every request, as in `'NAME: VALUE'`; values are not recorded (repeatable)")
	flags.StringVar(&f.record, "record", "", "write every exchange to `FILE`, as NDJSON without secrets")
	f.upstream.add(flags)
	f.checkFlags.add(c)
	return c
}

func (f *probeFlags) run(c *cobra.Command, _ []string) error {
	documents, err := f.prepare()
	if err != nil {
		return err
	}
	written, read := f.files(nil)
	if f.record != "" {
		written = append(written, checkflags.File{Path: f.record, As: "--record " + f.record})
	}
	if err := checkflags.CheckOverwrites(written, read); err != nil {
		return err
	}
	probing := c.Context()
	c.SetContext(context.WithoutCancel(probing)) // an interrupt ends the probe; its report comes all the same
	f.Guess = false
	var bases []contract.Option
	for _, d := range documents {
		base, err := f.base(d)
		if err != nil {
			return err
		}
		bases = append(bases, contract.WithBaseURL(d.Interface, base))
	}
	checker, note, end, err := f.checker(c, bases...)
	if err != nil {
		return err
	}
	defer end()
	recorded, summary, err := f.send(probing, documents)
	if err != nil {
		return err
	}
	source, err := f.keep(recorded)
	if err != nil {
		return err
	}
	r, err := checker.Check(c.Context(), source)
	if r != nil {
		r.Notes = append(r.Notes, notesOfProbe(summary, probing.Err() != nil)...)
	}
	return f.finish(c, checkResult{checkflags.Result{Checker: checker, Source: source, Report: r}, note, err})
}

// prepare reads the flags, and loads the documents of the targets.
func (f *probeFlags) prepare() (list []*specs.Document, err error) {
	if len(f.targets.List) == 0 {
		return nil, errors.New("want what to send requests to, as in --target shop=http://127.0.0.1:8080; see " +
			"understudy probe --help")
	}
	if _, err := specs.ParseBrand(f.Brand); err != nil {
		return nil, err
	}
	documents, err := f.Documents()
	if err != nil {
		return nil, err
	}
	f.options.Targets = map[specs.Interface]string{}
	isRemote := false
	for _, target := range f.targets.List {
		name := specs.Interface(target[0])
		if err := documents.Check(name); err != nil {
			return nil, fmt.Errorf("--target: %w", err)
		}
		if err := checkAddress("--target "+target[0], target[1]); err != nil {
			return nil, err
		}
		d, err := documents.Readable(name)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
		f.options.Targets[name] = target[1]
		u, err := url.Parse(target[1])
		isLocal := err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
		isRemote = isRemote || !isLocal
	}
	if f.options.Rate = f.rate; f.rate == 0 && isRemote {
		f.options.Rate = politeRate
	}
	if f.options.Key == "" {
		f.options.Key = os.Getenv(keyVariable)
	}
	f.options.Header, err = readHeaders(f.headers)
	return list, err
}

// readHeaders reads headers as curl takes them.
func readHeaders(lines []string) (http.Header, error) {
	header := http.Header{}
	for _, line := range lines {
		name, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !found || name == "" || value == "" || strings.ContainsAny(line, "\r\n") || strings.ContainsAny(name, " \t") {
			return nil, errors.New("--header: want 'NAME: VALUE', as in --header 'Authorization: Bearer …'")
		}
		header.Add(textproto.CanonicalMIMEHeaderKey(name), value)
	}
	return header, nil
}

// base returns the address below which are the paths of a document.
func (f *probeFlags) base(d *specs.Document) (string, error) {
	target, err := relay.NewTarget(d.Interface, f.options.Targets[d.Interface],
		func(specs.Interface) (*specs.Document, error) { return d, nil })
	if err != nil {
		return "", err
	}
	return target.Base(), nil
}

// send sends the requests, and returns the recording.
func (f *probeFlags) send(
	ctx context.Context, documents []*specs.Document,
) ([]*recording.Exchange, *probe.Summary, error) {
	roots, err := f.upstream.roots()
	if err != nil {
		return nil, nil, err
	}
	transport := relay.NewTransport(relay.Upstream{
		RootCAs: roots, Insecure: f.upstream.insecure, AnswerTimeout: f.upstream.timeout,
	})
	opts := checkflags.Documents(&f.Specs, contract.WithSpec, contract.WithOverlay)
	recorder := contract.NewRecorder(transport, append(opts, contract.WithBrand(specs.Brand(f.Brand)))...)
	f.options.Client = &http.Client{Transport: recorder, Timeout: 2 * f.upstream.timeout}
	summary, err := probe.Run(ctx, documents, f.options)
	if errors.Is(err, probe.ErrUnsafe) {
		err = fmt.Errorf("%w: want --unsafe as well", err)
	}
	if err != nil {
		return nil, nil, err
	}
	recorded := recorder.Exchanges()
	for _, e := range recorded {
		for i, line := range e.Request.Headers {
			isOwn := slices.Contains(f.options.Header.Values(line[0]), line[1])
			if isOwn && !strings.Contains(line[1], recording.Mark) {
				e.Request.Headers[i][1] = recording.Mark + "]"
			}
		}
	}
	return recorded, summary, nil
}

// keep writes the recording to a file, from which it is judged, if one is wanted.
func (f *probeFlags) keep(recorded []*recording.Exchange) (contract.Source, error) {
	if f.record == "" {
		return contract.Exchanges(slices.Values(recorded)), nil
	}
	var text bytes.Buffer
	for _, e := range recorded {
		if err := recording.Write(&text, e); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(f.record, text.Bytes(), 0o600); err != nil {
		return nil, err
	}
	return contract.Files(f.record), nil
}

// notesOfProbe says what was sent and what not.
func notesOfProbe(s *probe.Summary, isInterrupted bool) (notes []string) {
	notes = append(notes, fmt.Sprintf("sent %d valid requests, of which the service refused %d, and %d with a fault",
		s.Valid, s.Refused, s.Faulty))
	if n := s.Unauthorized; n > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d valid requests were answered with 401: give --key, or --header 'Authorization: …'", n))
	}
	if n := len(s.LeftOut); n > 0 {
		notes = append(notes, fmt.Sprintf("left out %d operations that may change something: want --unsafe to call them", n))
	}
	if isInterrupted {
		notes = append(notes, "the probe was interrupted: not all requests were sent")
	} else if s.Unsent {
		notes = append(notes, "more requests are possible: give --requests a higher number")
	}
	for _, err := range s.Unmade {
		notes = append(notes, fmt.Sprintf("no request could be made: %v", err))
	}
	if s.Left > 0 {
		notes = append(notes, fmt.Sprintf("%d objects that the probe made are still there", s.Left))
	}
	return notes
}
