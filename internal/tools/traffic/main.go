// Traffic writes recordings of any length: accounts of a platform whose clients live through small lives, such as that
// of a pool, with violations of rules planted at places that a manifest lists. They prove what the checker finds, and
// measure how fast it is.
//
// The lives are texts, in the folders lives and violations. They are compiled into templates of lines, so that an
// exchange costs little more than the copy of its bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "traffic:", err)
		os.Exit(1)
	}
}

// run writes what the arguments ask for: files in a folder, with the manifest of what is planted, or one on stdout.
func run(args []string, stdout, stderr io.Writer) error {
	c := Config{Plant: map[string]int{}}
	flags := flag.NewFlagSet("traffic", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&c.Accounts, "accounts", 10, "`number` of accounts")
	flags.IntVar(&c.Exchanges, "exchanges", 10_000, "`number` of exchanges of all accounts")
	flags.Uint64Var(&c.Seed, "seed", 1, "`number` that decides what looks like chance; the same one gives the same bytes")
	flags.StringVar(&c.Format, "format", NDJSON, "`format` of the files, ndjson or har")
	flags.IntVar(&c.Files, "files", 1, "`number` of files that the exchanges are distributed over")
	flags.BoolVar(&c.Shuffle, "shuffle", false, "write the exchanges of a file out of order")
	flags.Func("plant", "`RULE=N` plants so many violations of a rule; all=N plants them of each rule; may be repeated",
		func(text string) error { return plant(c.Plant, text) })
	out := flags.String("out", "-", "`folder` for the files and manifest.json, or - for stdout without a manifest")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: want flags only", flags.Arg(0))
	}
	if *out != "-" {
		return writeFolder(c, *out)
	}
	if c.Files > 1 {
		return fmt.Errorf("%d files: want -out with a folder for them", c.Files)
	}
	_, err := Write(c, stdout)
	return err
}

// plant reads RULE=N.
func plant(rules map[string]int, text string) error {
	name, count, _ := strings.Cut(text, "=")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		return fmt.Errorf("%q: want RULE=N", text)
	}
	if name != "all" {
		rules[name] = n
		return nil
	}
	for _, rule := range Rules() {
		rules[rule] = n
	}
	return nil
}

// writeFolder writes a recording into files of a folder, with its manifest.
func writeFolder(c Config, dir string) (problem error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	var names []string
	var files []io.Writer
	for i := range max(c.Files, 1) {
		name := fmt.Sprintf("traffic-%03d.%s", i+1, c.Format)
		f, err := os.Create(filepath.Join(dir, name)) //nolint:gosec // the user names the folder
		if err != nil {
			return err
		}
		defer func() { problem = errors.Join(problem, f.Close()) }()
		names, files = append(names, name), append(files, f)
	}
	m, err := Write(c, files...)
	if err != nil {
		return err
	}
	m.Files = names
	manifest, err := os.Create(filepath.Join(dir, "manifest.json")) //nolint:gosec // the user names the folder
	if err != nil {
		return err
	}
	return errors.Join(m.Write(manifest), manifest.Close())
}
