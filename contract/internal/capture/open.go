package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"os"

	"svc.example/understudy/contract/internal/capture/format"
	"svc.example/understudy/contract/internal/capture/record"
)

// opened is a file, or what a file holds, that is about to be read.
type opened struct {
	name    string
	folders record.Folders
	zip     io.ReaderAt
	size    int64 // of zip
	depth   int   // how many wrappings have been taken off
}

// maxDepth is the number of wrappings that are taken off: zip in gzip in gzip is an attack, not a recording.
const maxDepth = 2

// read detects the format and reads on. It is false when yield was.
func (o opened) read(r io.Reader, yield func(record.Raw, error) bool) bool {
	in := record.NewInput(o.name, r)
	in.Folders = o.folders
	magic, _ := in.Reader.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b\x08")):
		return o.gunzip(in, yield)
	case isZlib(magic):
		return o.inflate(in, yield)
	case bytes.HasPrefix(magic, []byte("PK\x03\x04")), bytes.HasPrefix(magic, []byte("PK\x05\x06")):
		return o.unzip(in, yield)
	}
	in.SkipMark()
	f := format.Of(in.Head())
	if f == nil {
		return yield(record.Raw{}, in.Foreign())
	}
	isEmpty := true
	more := f.Read(in, func(record record.Raw, err error) bool {
		isEmpty = false
		return yield(record, err)
	})
	if more && isEmpty {
		return yield(record.Raw{}, in.Empty())
	}
	return more
}

// within returns the settings for the content of a wrapping, or the reason why it is not read.
func (o opened) within(in *record.Input) (opened, *record.ReadError) {
	if o.depth++; o.depth > maxDepth {
		return o, in.Problem(record.Malformed, errors.New("it is compressed more than twice: decompress it first"))
	}
	o.zip, o.size = nil, 0
	return o, nil
}

// gunzip reads all members of a gzip file as one.
func (o opened) gunzip(in *record.Input, yield func(record.Raw, error) bool) bool {
	inner, problem := o.within(in)
	if problem != nil {
		return yield(record.Raw{}, problem)
	}
	packed := &counted{r: in.Reader}
	r, err := gzip.NewReader(bufio.NewReader(packed))
	if err != nil {
		return yield(record.Raw{}, in.Broken(err))
	}
	return inner.read(record.Unpacked(r, packed.count), yield)
}

// isZlib reports whether an input begins with the header of zlib, in which mitmproxy writes what it calls .zhar, rather
// than with a text that starts with an x.
func isZlib(magic []byte) bool {
	return len(magic) > 1 && magic[0] == 'x' && (magic[1] == 0x01 || magic[1] == 0x9c || magic[1] == 0xda)
}

func (o opened) inflate(in *record.Input, yield func(record.Raw, error) bool) bool {
	inner, problem := o.within(in)
	if problem != nil {
		return yield(record.Raw{}, problem)
	}
	packed := &counted{r: in.Reader}
	r, err := zlib.NewReader(bufio.NewReader(packed))
	if err != nil {
		return yield(record.Raw{}, in.Broken(err))
	}
	defer r.Close()
	return inner.read(record.Unpacked(r, packed.count), yield)
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
