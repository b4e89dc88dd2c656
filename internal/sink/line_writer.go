package sink

import (
	"errors"
	"io"
	"io/fs"
)

// file is an output that can be truncated.
type file interface {
	io.Seeker
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
}

// lineWriter writes complete lines. If a line could be written only in part, it removes that part, so that the next
// line stands alone.
type lineWriter struct {
	w    io.Writer
	torn int64 // how many bytes of a broken line are at the end
}

func (w *lineWriter) write(text []byte) (err error) {
	if w.torn > 0 {
		if err := w.endBrokenLine(); err != nil {
			return err
		}
	}
	n, err := w.w.Write(text)
	if n = min(max(n, 0), len(text)); n == len(text) {
		return nil // every byte of it is there
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	if w.torn = int64(n); n > 0 {
		_ = w.removeBrokenLine() // or before the next line
	}
	return err
}

// endBrokenLine removes the part of a line, or ends it with a newline if the output cannot be truncated: then only that
// line is unreadable.
func (w *lineWriter) endBrokenLine() error {
	if w.removeBrokenLine() == nil {
		return nil
	}
	n, err := w.w.Write([]byte("\n"))
	if n == 1 {
		w.torn = 0
		return nil
	}
	return errors.Join(err, io.ErrShortWrite)
}

func (w *lineWriter) removeBrokenLine() error {
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
