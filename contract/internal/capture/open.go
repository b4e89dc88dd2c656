package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
)

// opened is a file, or what a file holds, that is about to be read.
type opened struct {
	name    string
	folders folders
	zip     io.ReaderAt
	size    int64 // of zip
	depth   int   // how many wrappings have been taken off
}

// maxDepth is the number of wrappings that are taken off: zip in gzip in gzip is an attack, not a recording.
const maxDepth = 2

// read detects the format and reads on. It is false when yield was.
func (o opened) read(r io.Reader, yield func(Record, error) bool) bool {
	in := newInput(o.name, r)
	in.folders = o.folders
	magic, _ := in.r.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b\x08")):
		return o.gunzip(in, yield)
	case isZlib(magic):
		return o.inflate(in, yield)
	case bytes.HasPrefix(magic, []byte("PK\x03\x04")), bytes.HasPrefix(magic, []byte("PK\x05\x06")):
		return o.unzip(in, yield)
	}
	in.skipMark()
	f := formatOf(in.head())
	if f == nil {
		return yield(Record{}, in.foreign())
	}
	isEmpty := true
	more := f.read(in, func(record Record, err error) bool {
		isEmpty = false
		return yield(record, err)
	})
	if more && isEmpty {
		return yield(Record{}, in.empty())
	}
	return more
}

// within returns the settings for the content of a wrapping, or the reason why it is not read.
func (o opened) within(in *input) (opened, *ReadError) {
	if o.depth++; o.depth > maxDepth {
		return o, in.problem(Malformed, errors.New("it is compressed more than twice: decompress it first"))
	}
	o.zip, o.size = nil, 0
	return o, nil
}

// gunzip reads all members of a gzip file as one.
func (o opened) gunzip(in *input, yield func(Record, error) bool) bool {
	inner, problem := o.within(in)
	if problem != nil {
		return yield(Record{}, problem)
	}
	packed := &counted{r: in.r}
	r, err := gzip.NewReader(bufio.NewReader(packed))
	if err != nil {
		return yield(Record{}, in.broken(err))
	}
	return inner.read(&bounded{r: r, packed: packed.count}, yield)
}

// isZlib reports whether an input begins with the header of zlib, in which mitmproxy writes what it calls .zhar, rather
// than with a text that starts with an x.
func isZlib(magic []byte) bool {
	return len(magic) > 1 && magic[0] == 'x' && (magic[1] == 0x01 || magic[1] == 0x9c || magic[1] == 0xda)
}

func (o opened) inflate(in *input, yield func(Record, error) bool) bool {
	inner, problem := o.within(in)
	if problem != nil {
		return yield(Record{}, problem)
	}
	packed := &counted{r: in.r}
	r, err := zlib.NewReader(bufio.NewReader(packed))
	if err != nil {
		return yield(Record{}, in.broken(err))
	}
	defer r.Close()
	return inner.read(&bounded{r: r, packed: packed.count}, yield)
}

type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) count() int64 { return c.n }

const (
	maxRatio = 600      // recordings of the same exchange over and over come to 300
	maxFree  = 64 << 20 // bytes that anything may grow to
)

// bounded fails when data grows as only what was made to do harm does.
type bounded struct {
	r      io.Reader
	packed func() int64 // bytes that were read to get there
	n      int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.n += int64(n); b.n > maxFree && b.n/maxRatio > b.packed() {
		return 0, fmt.Errorf("it grows more than %d-fold when decompressed, which recordings do not", maxRatio)
	}
	return n, err
}

// spool copies a stream to a file without a name, because the directory of a zip archive is at its end.
func spool(r io.Reader) (file *os.File, size int64, err error) {
	file, err = os.CreateTemp("", "understudy-*.zip")
	if err != nil {
		return nil, 0, err
	}
	if size, err = io.Copy(file, r); err != nil {
		return nil, 0, errors.Join(err, discard(file))
	}
	return file, size, nil
}

func discard(file *os.File) error { return errors.Join(file.Close(), os.Remove(file.Name())) }
