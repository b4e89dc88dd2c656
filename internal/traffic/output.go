package traffic

import (
	"bufio"
	"io"
)

// Shuffled exchanges are held back for as long as up to so many others of their file, and some longer.
const shuffleWindow = 1000

// outputs distributes exchanges over files.
type outputs struct {
	Config
	files []*output
}

// output is a file that is being written.
type output struct {
	*bufio.Writer
	isHAR  bool
	number int
	seq    int // of the last exchange, in order of time
	line   int // of the last exchange that was written
	held   []line
	free   [][]byte // buffers of lines that were written
}

// line is an exchange that is to be written, and where its place is noted, if it is.
type line struct {
	bytes   []byte
	seq     int
	planted *planted
	step    int
}

func newOutputs(c Config, files []io.Writer) *outputs {
	o := &outputs{Config: c}
	for i, w := range files {
		o.files = append(o.files, &output{Writer: bufio.NewWriterSize(w, 1<<18), number: i, isHAR: c.Format == HAR})
	}
	return o
}

// put writes an exchange to its file, now or later. Which file that is looks like chance.
func (o *outputs) put(e exchange) error {
	chance := scramble(uint64(e.life)*idsOfLife+uint64(e.number), o.Seed, 3)
	f := o.files[chance%uint64(len(o.files))]
	f.seq++
	e.seq = f.seq
	var buffer []byte
	if n := len(f.free); n > 0 {
		buffer, f.free = f.free[n-1], f.free[:n-1]
	}
	next := line{e.append(buffer[:0], &e.instance), e.seq, e.planted, e.number}
	if e.planted != nil {
		e.planted.places = append(e.planted.places, Place{File: f.number, Seq: int64(e.seq)})
	}
	if !o.Shuffle {
		return f.write(next)
	}
	if f.held = append(f.held, next); len(f.held) < shuffleWindow {
		return nil
	}
	return f.writeHeld(int(chance >> 32 % shuffleWindow))
}

// writeHeld writes one of the lines that are held back.
func (f *output) writeHeld(i int) error {
	last := len(f.held) - 1
	next := f.held[i]
	f.held[i] = f.held[last]
	f.held = f.held[:last]
	return f.write(next)
}

func (f *output) write(l line) error {
	switch {
	case f.isHAR && f.line == 0:
		_, _ = f.WriteString(harBegin)
	case f.isHAR:
		_, _ = f.WriteString(",\n")
	}
	f.line++
	if l.planted != nil {
		l.planted.places[l.step].Line = f.line
	}
	_, err := f.Write(l.bytes)
	f.free = append(f.free, l.bytes)
	return err
}

const (
	harBegin = `{"log":{"version":"1.2","creator":{"name":"understudy","version":"1"},"entries":[` + "\n"
	harEnd   = "\n]}}\n"
)

// close writes what is held back, and the ends of the files.
func (o *outputs) close() error {
	for _, f := range o.files {
		for i := 0; len(f.held) > 0; i++ {
			if err := f.writeHeld(int(scramble(uint64(i), o.Seed) % uint64(len(f.held)))); err != nil {
				return err
			}
		}
		if f.isHAR {
			if f.line == 0 {
				_, _ = f.WriteString(harBegin)
			}
			_, _ = f.WriteString(harEnd)
		}
		if err := f.Flush(); err != nil {
			return err
		}
	}
	return nil
}
