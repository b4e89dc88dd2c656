package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

const standardInput = "standard input"

// wantRecordings returns an error unless there are files to read.
func wantRecordings(c *cobra.Command, files []string) error {
	if len(files) > 0 {
		return nil
	}
	return fmt.Errorf("want the file of a recording, a folder or a glob, or - for standard input; see %s --help",
		c.CommandPath())
}

// recordingSource reads files, folders and patterns as one recording, whose exchanges have consecutive numbers. The
// name - is standard input. It, FIFOs and devices are read until the command is interrupted; if rereadable is set, a
// copy of them is, so that the source can be read more than once. Done releases it.
func recordingSource(c *cobra.Command, files []string, rereadable bool) (source contract.Source, done func(),
	err error,
) {
	var given []contract.Input
	var copies []string
	done = func() {
		for _, file := range copies {
			_ = os.Remove(file)
		}
	}
	seen := map[string]bool{} // streams, which are read once, as files are
	for _, file := range files {
		one := contract.Input{Path: file}
		if stream := streamOf(c, file); stream != nil {
			if seen[file] {
				continue
			}
			seen[file] = true
			one = contract.Input{Name: shownName(file), Reader: stream}
		}
		if one.Reader != nil && rereadable {
			if one.Path, err = spool(one.Reader); err != nil {
				done()
				return nil, nil, fmt.Errorf("buffer %s, which is read twice: %w", one.Name, err)
			}
			one.Reader, copies = nil, append(copies, one.Path)
		}
		given = append(given, one)
	}
	found := contract.Find(given...)
	return withProgress(c.ErrOrStderr(), found), done, nil
}

// shownName returns the name of a file in messages.
func shownName(file string) string {
	if file == "-" {
		return standardInput
	}
	return file
}

// streamOf returns a reader of standard input, a FIFO or a device that ends with the context of the command, also while
// nothing is written there. It is nil for other files.
func streamOf(c *cobra.Command, file string) io.Reader {
	if info, err := os.Stat(file); file != "-" && (err != nil || info.IsDir() || info.Mode().IsRegular()) {
		return nil
	}
	out, in := io.Pipe()
	context.AfterFunc(c.Context(), func() { in.CloseWithError(c.Context().Err()) })
	go func() {
		from, err := c.InOrStdin(), error(nil)
		if file != "-" {
			from, err = os.Open(file) // which may wait
		}
		if err == nil {
			_, err = io.Copy(in, from)
		}
		in.CloseWithError(err)
	}()
	return out
}

// spool copies a stream to a temporary file, which the caller has to remove unless there is an error.
func spool(r io.Reader) (path string, err error) {
	file, err := os.CreateTemp("", "understudy-*.recording")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, r)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// openRecording opens a recording to append to: a new file, an empty one, or an existing recording. It refuses to touch
// anything else. An incomplete last line, left by a process that was killed while it wrote, is removed. A FIFO is
// opened at the first write.
func openRecording(path string, log *slog.Logger) (io.WriteCloser, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return &fifo{path: path}, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	if err := prepareRecording(file, log); err != nil {
		return nil, errors.Join(fmt.Errorf("recording %s: %w", path, err), file.Close())
	}
	return recordingFile{file}, nil
}

// recordingFile is a recording on disk.
type recordingFile struct{ *os.File }

// Close also reports errors that show only when everything is written to the disk.
func (f recordingFile) Close() error {
	err := f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) { // not a file on a disk
		err = nil
	}
	return errors.Join(err, f.File.Close())
}

// fifo is a recording that another process reads. It is opened for writing only, so that nothing is written without a
// reader: writing waits for a reader, and fails once the reader is gone.
type fifo struct {
	path string

	mu   sync.Mutex
	file *os.File
}

// Write implements io.Writer. It fails if the reader is gone.
func (f *fifo) Write(b []byte) (int, error) {
	file, err := f.open()
	if err != nil {
		return 0, err
	}
	n, err := file.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		return 0, errors.Join(errors.New("the FIFO has no reader any more"), f.Close())
	}
	return n, err
}

func (f *fifo) open() (*os.File, error) {
	f.mu.Lock()
	file := f.file
	f.mu.Unlock()
	if file != nil {
		return file, nil
	}
	file, err := os.OpenFile(f.path, os.O_WRONLY, 0) // which waits for a reader
	f.mu.Lock()
	defer f.mu.Unlock()
	f.file = file
	return file, err
}

// Close implements io.Closer. The next Write opens the FIFO again.
func (f *fifo) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.file
	if f.file = nil; file == nil {
		return nil
	}
	return file.Close()
}

func prepareRecording(file *os.File, log *slog.Logger) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return err
	}
	line, err := bufio.NewReader(file).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var e recording.Exchange
	isExchange := json.Unmarshal(line, &e) == nil && e.Request.Method != ""
	if !isExchange && (err == nil || !bytes.HasPrefix(line, []byte(`{"seq":`))) {
		return errors.New("the file exists and is not a recording; choose another one")
	}
	end, err := lastLine(file, info.Size())
	if err != nil || end == info.Size() {
		return err
	}
	log.Warn("removed the last line of the recording, which was incomplete", "file", file.Name(),
		"bytes", info.Size()-end)
	return file.Truncate(end)
}

// lastLine returns the offset at which the last complete line of a file ends.
func lastLine(file io.ReaderAt, size int64) (int64, error) {
	block := make([]byte, 64<<10)
	for end := size; end > 0; {
		start := max(0, end-int64(len(block)))
		part := block[:end-start]
		if _, err := file.ReadAt(part, start); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

const (
	barDelay     = time.Second            // nothing is drawn for shorter waits
	drawInterval = 100 * time.Millisecond // between two drawings
)

// withProgress returns the source of inputs. If w is a terminal, it shows how much of them has been read.
func withProgress(w io.Writer, found *contract.Inputs) contract.Source {
	if !isWatched(w) {
		return found.Source(nil)
	}
	return func(yield func(contract.Record, error) bool) {
		p := &progress{w: w, total: found.Size(), began: time.Now()}
		defer p.end()
		for record, err := range found.Source(p.count) {
			if err == nil {
				p.exchanges++
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// isWatched reports whether a person reads what is written to w: it is a terminal, but not that of a build server.
func isWatched(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
}

// progress is the bar of one reading. It is used by the goroutine that reads, which looks at the clock once for each
// part of a file.
type progress struct {
	w            io.Writer
	total        int64 // -1 if not known
	began, drawn time.Time
	read         int64
	exchanges    int
	bar          *progressbar.ProgressBar
}

func (p *progress) count(n int) {
	p.read += int64(n)
	now := time.Now()
	if now.Sub(p.began) < barDelay || now.Sub(p.drawn) < drawInterval {
		return
	}
	p.drawn = now
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(p.total,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionShowBytes(true),
			progressbar.OptionUseIECUnits(true),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(24),
			progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine of its own
			progressbar.OptionClearOnFinish(),
		)
	}
	rate := float64(p.exchanges) / now.Sub(p.began).Seconds()
	p.bar.Describe(fmt.Sprintf("%d exchanges, %.0f/s", p.exchanges, rate))
	shown := p.read
	if p.total >= 0 { // the directory of a zip archive is read in addition to its files, and a file may grow meanwhile
		shown = min(shown, p.total-1)
	}
	_ = p.bar.Set64(shown) // an error of the terminal does not matter
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
		_ = p.bar.Exit()
	}
}

// watchTrials returns what builds the scenarios that learn tries, and what ends their display. If w is a terminal, it
// shows how many have been built.
func watchTrials(w io.Writer, build contract.BuildLearned) (watched contract.BuildLearned, end func()) {
	if !isWatched(w) {
		return build, func() {}
	}
	began, n := time.Now(), 0
	return func(learned *contract.Learned) (contract.Subject, error) {
			if n++; time.Since(began) >= barDelay {
				fmt.Fprintf(w, "\r%d scenarios tried in %v, Ctrl+C keeps the best ", n, time.Since(began).Truncate(time.Second))
			}
			return build(learned)
		}, func() {
			if time.Since(began) >= barDelay {
				fmt.Fprint(w, "\r\x1b[K")
			}
		}
}
