package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"svc.example/understudy/contract"
)

// Piece is a part of a file that one worker reads: all of it, or the lines that begin in a range of its bytes.
type Piece struct {
	File    File
	Index   int // in its file
	IsLines bool
	Start   int64 // of a range of bytes
	End     int64
	Lines   int // before the first line of the file
	Before  contract.Place
}

const headSize = 64 << 10 // bytes

// cutFn cuts files into pieces.
type cutFn struct {
	Size   int64
	Pieces int
}

// ProcessElement emits the pieces of a file.
func (fn *cutFn) ProcessElement(ctx context.Context, f File, emit func(Piece)) error {
	if f.Problem != (Problem{}) {
		emit(Piece{File: f})
		return nil
	}
	pieces, err := fn.cut(ctx, f)
	if err != nil { // who reads it reports why it cannot be read
		emit(Piece{File: f})
		return nil //nolint:nilerr // likewise
	}
	for i, p := range pieces {
		p.File, p.Index = f, i
		emit(p)
	}
	return nil
}

// cut returns the pieces of a file that can be read. Only NDJSON can be cut, and only where the filesystem can read
// from any place: what object stores hold is read as a whole.
func (fn *cutFn) cut(ctx context.Context, f File) ([]Piece, error) {
	r, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head = head[:n]
	seeker, ok := seekerOf(r)
	if !ok || !contract.IsLines(head) {
		return []Piece{{}}, nil
	}
	size, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	start, lines := firstLine(head)
	var pieces []Piece
	for _, end := range fn.ends(start, size) {
		pieces = append(pieces, Piece{IsLines: true, Start: start, End: end, Lines: lines})
		start = end
	}
	return pieces, nil
}

// ends returns where the pieces of a file end.
func (fn *cutFn) ends(start, size int64) (list []int64) {
	step := fn.Size
	if step <= 0 {
		step = DefaultPieceSize
	}
	if fn.Pieces > 0 {
		step = max(1, (size-start+int64(fn.Pieces)-1)/int64(fn.Pieces))
	}
	for end := start + step; end < size; end += step {
		list = append(list, end)
	}
	return append(list, size)
}

// firstLine returns where the first line of a recording begins, behind a byte order mark and white space, and how many
// lines are before it.
func firstLine(head []byte) (start int64, lines int) {
	rest := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	before := head[:len(head)-len(rest)]
	return int64(len(before)), bytes.Count(before, []byte{'\n'})
}

// seekerOf returns the seeker below what open returned, if there is one.
func seekerOf(r io.ReadCloser) (io.Seeker, bool) {
	seeker, ok := r.(opened).ReadCloser.(io.Seeker)
	return seeker, ok
}

// lineRange reads the lines that begin in a range of bytes of a file.
type lineRange struct {
	r         *bufio.Reader
	offset    int64 // of the next byte
	end       int64
	newlines  int
	ended     bool
	closeFile func() error
}

// lines opens the lines of a piece, and returns where the first one begins.
func (p *Piece) lines(ctx context.Context) (r *lineRange, start int64, err error) {
	file, err := p.File.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	r = &lineRange{r: bufio.NewReaderSize(file, 1<<20), offset: p.Start, end: p.End, closeFile: file.Close}
	if err = r.seek(file, p); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("%s: %w", p.File.Name, err), file.Close())
	}
	return r, r.offset, nil
}

// seek goes to the first line that begins in the piece.
func (l *lineRange) seek(file io.ReadCloser, p *Piece) error {
	seeker, ok := seekerOf(file)
	if !ok {
		return errors.New("it cannot be read from any place")
	}
	if p.Index > 0 { // a line that begins at the start has the end of another one before it
		l.offset--
	}
	if _, err := seeker.Seek(l.offset, io.SeekStart); err != nil || p.Index == 0 {
		return err
	}
	for {
		skipped, err := l.r.ReadSlice('\n')
		l.offset += int64(len(skipped))
		switch {
		case err == nil, errors.Is(err, io.EOF):
			l.ended = l.offset >= l.end
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// Read implements io.Reader.
func (l *lineRange) Read(b []byte) (int, error) {
	if l.ended {
		return 0, io.EOF
	}
	n, err := l.r.Read(b)
	if from := max(0, l.end-1-l.offset); from < int64(n) { // the line end at the last byte or behind it ends the piece
		if i := bytes.IndexByte(b[from:n], '\n'); i >= 0 {
			n, l.ended = int(from)+i+1, true
		}
	}
	l.offset += int64(n)
	l.newlines += bytes.Count(b[:n], []byte{'\n'})
	return n, err
}

// Close closes the file.
func (l *lineRange) Close() error { return l.closeFile() }
