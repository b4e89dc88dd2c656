package sink

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// file is an output that can take back half a line.
type file interface {
	io.Seeker
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
}

// whole writes whole lines. What there is of a line that could be written only in part is taken back, so that it never
// runs into the next one.
type whole struct {
	w    io.Writer
	torn int64 // how many bytes of a broken line are at the end
}

func (w *whole) write(text []byte) (err error) {
	if w.torn > 0 {
		if err := w.mend(); err != nil {
			return err
		}
	}
	n, err := w.call(text)
	if n = min(max(n, 0), len(text)); n == len(text) {
		return nil // every byte of it is there
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	if w.torn = int64(n); n > 0 {
		_ = w.cut() // or before the next line
	}
	return err
}

// call calls the writer, which may be of a user's own and panic.
func (w *whole) call(text []byte) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the writer panicked: %v", p)
		}
	}()
	return w.w.Write(text)
}

// mend takes half a line back, or ends it where nothing can be taken back: then it is a line that cannot be read, but
// the next one can.
func (w *whole) mend() error {
	if w.cut() == nil {
		return nil
	}
	n, err := w.call([]byte("\n"))
	if n == 1 {
		w.torn = 0
		return nil
	}
	return errors.Join(err, io.ErrShortWrite)
}

func (w *whole) cut() error {
	f, ok := w.w.(file)
	if !ok {
		return errors.ErrUnsupported
	}
	end, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != end || end < w.torn {
		return errors.ErrUnsupported
	}
	if err := f.Truncate(end - w.torn); err != nil {
		return err
	}
	w.torn = 0
	_, err = f.Seek(0, io.SeekEnd)
	return err
}
