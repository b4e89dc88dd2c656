package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/engine/process"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver/certs"
	"svc.example/understudy/specs"
)

// addEnumFlag adds a flag that takes one of a few words.
func addEnumFlag(c *cobra.Command, name, usage string, value checkflags.Choice) *checkflags.Choice {
	c.Flags().Var(&value, name, usage)
	return &value
}

// addPairsFlag adds a flag that gives something to an interface.
func addPairsFlag(c *cobra.Command, name, usage string, value checkflags.Pairs) *checkflags.Pairs {
	c.Flags().Var(&value, name, usage)
	return &value
}

// complete makes the shell offer words for a flag.
func complete(c *cobra.Command, flag string, words []string) {
	completeWith(c, flag, words, cobra.ShellCompDirectiveNoFileComp)
}

func completeWith(c *cobra.Command, flag string, words []string, directive cobra.ShellCompDirective) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, directive)); err != nil {
		panic(err) // only a flag that was never added, or is completed already, has none
	}
}

// completeValues makes the shell offer words for all flags of a command and its subcommands whose values have some.
func completeValues(c *cobra.Command) {
	c.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		switch value := flag.Value.(type) {
		case *checkflags.Choice:
			complete(c, flag.Name, value.Words)
		case *checkflags.Pairs:
			directive := cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
			completeWith(c, flag.Name, assigned(specs.InterfaceNames()), directive)
		case *checkflags.Minimums:
			complete(c, flag.Name, assigned(report.Axes()))
		}
	})
	for _, sub := range c.Commands() {
		completeValues(sub)
	}
}

// assigned returns the names with an equals sign behind each.
func assigned(names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, name+"=")
	}
	return list
}

// size is the value of a flag that takes a number of bytes.
type size int

var _ pflag.Value = (*size)(nil)

func (s *size) String() string {
	if n := int(*s); n%(1<<20) == 0 {
		return strconv.Itoa(n>>20) + "MiB"
	}
	return strconv.Itoa(int(*s))
}

func (s *size) Type() string { return "SIZE" }

func (s *size) Set(text string) error {
	number := strings.TrimRight(text, "BKMGib")
	n, err := strconv.ParseUint(number, 10, 31)
	shift, known := map[string]int{"": 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30}[text[len(number):]]
	if err != nil || !known || n == 0 || n<<shift > 1<<40 {
		return fmt.Errorf("want a number of bytes above 0, such as 512KiB, 8MiB or 1GiB")
	}
	*s = size(n << shift)
	return nil
}

// defaultHistory is the number of exchanges before which a world of serve can be forked.
const defaultHistory = 1000

// outputs holds the forms in which a report is written, their destinations, and how text looks there.
type outputs struct {
	checkflags.Outputs
	colour *checkflags.Choice
}

func (o *outputs) add(c *cobra.Command) {
	o.Outputs.Add(c.Flags())
	o.Style = o.style
	o.colour = addEnumFlag(c, "color", "whether text has colours; auto: on a terminal, unless NO_COLOR is set",
		checkflags.ChoiceOf("auto", "always", "never"))
}

// style returns the style of text for its destination.
func (o *outputs) style(w io.Writer) report.Style {
	style := report.Style{Verbose: o.Verbose, Colour: o.colour.Word == "always"}
	file, ok := terminal(w)
	if !ok {
		return style
	}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		style.Width = width
	}
	style.Colour = style.Colour || o.colour.Word == "auto" && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return style
}

func terminal(w io.Writer) (*os.File, bool) {
	file, ok := w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// isRead reports whether the report, and with it the outcome of the check, is shown on a terminal.
func (o *outputs) isRead(c *cobra.Command) bool {
	_, ok := terminal(c.OutOrStdout())
	return ok && o.Output == "" && o.Format.Word == "text"
}

// saltFlag is the value of --salt, which goes into the digests of secret keys. Without it, a file in the user's folder
// of configurations does, so that a key has one digest in all recordings of the user.
type saltFlag struct{ text string }

func (s *saltFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&s.text, "salt", "",
		"the `TEXT` that the digests of secret keys depend on: equal keys have equal digests with the same one\n"+
			"(default: the content of a file in your folder of configurations, made at first use)")
}

// bytes returns the salt that was given or kept. It returns nil where no folder can keep one: each run then makes its
// own.
func (s *saltFlag) bytes() ([]byte, error) {
	if s.text != "" {
		return []byte(s.text), nil
	}
	folder, err := certs.UserFolder()
	if err != nil {
		return nil, nil //nolint:nilerr // some accounts have no home
	}
	file := filepath.Join(folder, "salt")
	salt, err := os.ReadFile(file)
	if err != nil {
		if newSalt(folder, file) != nil {
			return nil, nil //nolint:nilerr // nothing can be written to some homes
		}
		salt, err = os.ReadFile(file)
	}
	if err == nil && len(salt) == 0 {
		err = errors.New("want some text in it")
	}
	if err != nil {
		return nil, fmt.Errorf("read the salt of digests: %s: %w", file, err)
	}
	return salt, nil
}

// newSalt writes a salt to a file, unless another process does so first: whoever reads the file finds it whole.
func newSalt(folder, file string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, "salt-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // what is left of it harms nothing
	_, err = f.WriteString(rand.Text())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Link(f.Name(), file); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

const (
	engineName = "understudy-libopenapi" // the executable of the second engine
	noEngine   = "none"
)

// withoutEngine is the note in a report that only one engine judged, although the user did not ask for that.
const withoutEngine = "only one engine judged: " + engineName +
	", the second engine, was not found beside understudy or on " +
	"PATH; install it with go install ./cmd/understudy-libopenapi in the repository, or choose --engine none"

// secondEngine returns the second engine of a check, or nil, with a note if the user did not ask for
// only one.
func secondEngine(ctx context.Context, path string) (e *process.Engine, note string, err error) {
	switch path {
	case noEngine:
		return nil, "", nil
	case "":
		if path = besideOrOnPath(); path == "" {
			return nil, withoutEngine, nil
		}
	default:
		if path, err = exec.LookPath(path); err != nil && !errors.Is(err, exec.ErrDot) {
			return nil, "", fmt.Errorf("--engine: want the file of %s, or none: %w", engineName, err)
		}
	}
	return process.New(ctx, process.Config{Path: path, Name: engine.Libopenapi}), "", nil
}

// besideOrOnPath returns the path of the second engine, or the empty string.
func besideOrOnPath() string {
	if own, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), engineName)); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(engineName)
	if err != nil {
		return ""
	}
	return path
}
