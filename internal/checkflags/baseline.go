package checkflags

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"svc.example/understudy/contract"
)

// Baseline names the baselines that a command reads and writes.
type Baseline struct {
	read    string
	Written string // empty for none
}

// Add adds the flags to those of a command. What is accepted has a name, such as findings.
func (b *Baseline) Add(flags *pflag.FlagSet, what, all string) {
	flags.StringVar(&b.read, "baseline", "",
		"accept the "+what+" in `FILE`, and fail when one of them no longer occurs")
	flags.StringVar(&b.Written, "write-baseline", "", "write all "+all+" to `FILE` as a baseline")
}

// Options returns the options that the flags describe.
func (b *Baseline) Options() []contract.Option {
	if file := b.accepted(); file != "" {
		return []contract.Option{contract.WithBaseline(file)}
	}
	return nil
}

// accepted returns the baseline to read. That is none if it is to be written for the first time.
func (b *Baseline) accepted() string {
	_, err := os.Stat(b.read)
	if filepath.Clean(b.read) == filepath.Clean(b.Written) && errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return b.read
}

// WriteBaseline writes what a report has found as the baseline.
func (b *Baseline) WriteBaseline(r *contract.Report) error {
	return WriteFile(b.Written, func(w io.Writer) error { return contract.WriteBaseline(w, r) })
}

// Files lists the baselines.
func (b *Baseline) Files() (written, read []File) {
	if b.Written != "" {
		written = append(written, File{b.Written, "--write-baseline " + b.Written})
	}
	if b.read != "" && !sameFile(b.read, b.Written) { // otherwise it is rewritten
		read = append(read, File{b.read, "the baseline " + b.read})
	}
	return written, read
}
