// Package pipeline checks recordings on Apache Beam as contract.Checker does on one machine, and gives the same report,
// byte for byte:
//
//	files -> pieces -> measure -> number -> judge -> sum -> gaps ----.
//	                                          \-> events by key -> watch -> sum -> report
//
// The pieces of a recording are read twice. Numbers of exchanges stand in messages, and that of the first exchange of a
// piece is known only when all pieces before it have been counted; counting decodes nothing.
//
// A program calls Register, then beam.Init, then Run, in that order, also where it is a worker.
package pipeline

import (
	"context"
	"crypto/rand"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"svc.example/understudy/contract"
)

// Job is a check of recordings.
type Job struct {
	Patterns []string // files, folders, patterns, and addresses of object stores
	Options  Options

	PieceSize   int64  // bytes of a piece of a large file, 0 for DefaultPieceSize
	Pieces      int    // into how many pieces each file is cut that can be, 0 to go by PieceSize
	Sum         string // the address of a file for the result, which workers can write, and this process can read
	DeadLetters string // the address of a file for what cannot be read, empty for none
}

// DefaultPieceSize is the number of bytes of a piece that one worker judges at a time.
const DefaultPieceSize = 64 << 20

// Result holds the report of a job, and what it takes to show more of it.
type Result struct {
	Report  *contract.Report
	Checker *contract.Checker
	Source  contract.Source // of the same exchanges, with the same numbers
	Metrics beam.PipelineResult
}

// Register registers with Beam what workers run. It must be called once, before beam.Init.
func Register() {
	for _, t := range []any{Piece{}, Measured{}} {
		beam.RegisterType(reflect.TypeOf(t))
	}
	register.DoFn3x1[context.Context, File, func(Piece), error](&cutFn{})
	register.DoFn2x2[context.Context, Piece, Measured, error](&measureFn{})
	register.DoFn3x0[[]byte, func(*Measured) bool, func(Piece)](&numberFn{})
	register.DoFn6x1[context.Context, Piece, func([]byte), func(string, []byte), func([]byte), func(string), error](
		&judgeFn{})
	register.DoFn2x2[context.Context, []byte, []byte, error](&gapsFn{})
	register.DoFn6x1[
		context.Context, string, func(*[]byte) bool, func(*[]byte) bool, []byte, func([]byte), error](&watchFn{})
	register.DoFn2x1[context.Context, []byte, error](&storeFn{})
	register.DoFn3x1[context.Context, []byte, func(*string) bool, error](&lettersFn{})
	register.Combiner3[accumulator, []byte, []byte](&sumFn{})
	register.Emitter1[Piece]()
	register.Emitter1[[]byte]()
	register.Emitter1[string]()
	register.Emitter2[string, []byte]()
	register.Iter1[Measured]()
	register.Iter1[[]byte]()
	register.Iter1[string]()
	beam.RegisterCoder(reflect.TypeFor[accumulator](), encodeAccumulator, decodeAccumulator)
}

// Run runs a job on the runner that Beam's flags choose. The error is that of the job, or what a Check returns beside a
// report; without a report it is only the former.
func Run(ctx context.Context, j Job) (*Result, error) {
	files, err := Find(ctx, j.Patterns)
	if err != nil {
		return nil, err
	}
	source := Source(ctx, files)
	if len(j.Options.Salt) == 0 {
		j.Options.Salt = []byte(rand.Text())
	}
	plain, err := newChecker(&j.Options)
	if err != nil {
		return nil, err
	}
	j.Options.Guessed = plain.Guess(ctx, source)
	checker := plain.WithGuessed(j.Options.Guessed)
	metrics, err := beamx.RunWithMetrics(ctx, j.build(files))
	if err != nil {
		return nil, fmt.Errorf("run the job: %w", err)
	}
	text, err := fetch(ctx, j.Sum)
	if err != nil {
		return nil, fmt.Errorf("read what the workers found, which both they and this process must reach: %w", err)
	}
	sum := checker.Part(0)
	if err := sum.UnmarshalBinary(text); err != nil {
		return nil, err
	}
	report, err := sum.Report()
	return &Result{Report: report, Checker: checker, Source: source, Metrics: metrics}, err
}

// build returns the pipeline of a job.
func (j *Job) build(files []File) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	cut := &cutFn{Size: j.PieceSize, Pieces: j.Pieces}
	pieces := beam.Reshuffle(s, beam.ParDo(s.Scope("cut"), cut, beam.CreateList(s, files)))
	measured := beam.ParDo(s.Scope("measure"), &measureFn{}, pieces)
	numbered := beam.ParDo(s.Scope("number"), &numberFn{}, beam.Impulse(s), beam.SideInput{Input: measured})
	parts, events, everywhere, letters := beam.ParDo4(s.Scope("judge"), &judgeFn{Options: j.Options},
		beam.Reshuffle(s, numbered))
	sum := beam.Combine(s.Scope("sum"), &sumFn{Options: j.Options}, parts)
	gaps := beam.ParDo(s.Scope("gaps"), &gapsFn{Options: j.Options}, sum)
	watched := beam.ParDo(s.Scope("watch"), &watchFn{Options: j.Options}, beam.GroupByKey(s, events),
		beam.SideInput{Input: everywhere}, beam.SideInput{Input: gaps})
	all := beam.Combine(s.Scope("sum of all"), &sumFn{Options: j.Options}, beam.Flatten(s, sum, watched))
	beam.ParDo0(s.Scope("store"), &storeFn{Address: j.Sum}, all)
	if j.DeadLetters != "" {
		beam.ParDo0(s.Scope("dead letters"), &lettersFn{Address: j.DeadLetters}, beam.Impulse(s),
			beam.SideInput{Input: letters})
	}
	return p
}
