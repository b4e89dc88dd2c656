package pipeline

import (
	"cmp"
	"context"
	"slices"

	"svc.example/understudy/contract"
)

// Measured is a piece with how much it holds.
type Measured struct {
	Piece  Piece
	Extent contract.Place
	IsAny  bool // some of it is a recording, or the rest of one
}

// measureFn measures pieces.
type measureFn struct{}

// ProcessElement returns how much a piece holds.
func (fn *measureFn) ProcessElement(ctx context.Context, p Piece) (Measured, error) {
	m := Measured{Piece: p}
	m.Piece.Before = contract.Place{Lines: p.Lines, Bytes: p.Start}
	var lines *lineRange
	if p.IsLines {
		var err error
		if lines, m.Piece.Before.Bytes, err = p.lines(ctx); err != nil {
			return m, err
		}
		defer func() { _ = lines.Close() }() // it was read
	}
	m.Extent = contract.Extent(func(yield func(contract.Record, error) bool) {
		for r, err := range m.Piece.read(ctx, lines, contract.Place{}) {
			m.IsAny = m.IsAny || isRecording(err)
			if ctx.Err() != nil || !yield(r, err) {
				return
			}
		}
	})
	if lines != nil {
		m.Extent.Lines = lines.newlines
	}
	return m, ctx.Err()
}

// read returns a source of a piece.
func (p *Piece) read(ctx context.Context, lines *lineRange, before contract.Place) contract.Source {
	if lines != nil {
		return contract.ReadPiece(p.File.Name, lines, before)
	}
	return contract.Behind(p.File.read(ctx), before)
}

// numberFn gives the pieces the places of what comes before them.
type numberFn struct{}

// ProcessElement emits all pieces, numbered, with what is wrong about the folders that they were found in.
func (fn *numberFn) ProcessElement(_ []byte, measured func(*Measured) bool, emit func(Piece)) {
	var list []Measured
	for m := (Measured{}); measured(&m); {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b Measured) int {
		return cmp.Or(cmp.Compare(a.Piece.File.Index, b.Piece.File.Index), cmp.Compare(a.Piece.Index, b.Piece.Index))
	})
	found := searches{}
	for _, m := range list {
		found.add(m.Piece.File.Root, m.Piece.File.Index)
		found.see(m.Piece.File.Root, m.IsAny)
	}
	var exchanges int
	var file contract.Place // what comes before the piece in its file
	for i, m := range list {
		if m.Piece.Index == 0 {
			file = contract.Place{Lines: m.Piece.Lines}
		}
		p := m.Piece
		p.Before = contract.Place{
			Exchanges: exchanges, Entries: file.Entries, Lines: file.Lines, Bytes: m.Piece.Before.Bytes,
		}
		emit(p)
		exchanges += m.Extent.Exchanges
		file.Entries += m.Extent.Entries
		file.Lines += m.Extent.Lines
		if i+1 < len(list) && list[i+1].Piece.File.Index == p.File.Index {
			continue
		}
		if text := found.after(p.File.Root, p.File.Index); text != "" {
			emit(Piece{
				File: File{Name: p.File.Root, Problem: Problem{Text: text}}, Before: contract.Place{Exchanges: exchanges},
			})
		}
	}
}
