package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// choice is the value of a flag that takes one of a few words.
type choice struct {
	word  string // the default, until the flag is given
	words []string
}

func (c *choice) String() string { return c.word }

func (c *choice) Type() string { return strings.Join(c.words, "|") }

func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("want %s", source.OneOf(word, c.words))
	}
	c.word = word
	return nil
}

// addEnumFlag adds a flag that takes one of a few words, with their completion.
func addEnumFlag(c *cobra.Command, name, usage string, value choice) *choice {
	c.Flags().Var(&value, name, usage)
	complete(c, name, value.words)
	return &value
}

// choiceOf returns a choice of words, of which the first one is the default.
func choiceOf(list ...string) choice { return choice{word: list[0], words: list} }

// complete makes the shell offer words for a flag.
func complete(c *cobra.Command, flag string, words []string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // only a flag that was never added has none
	}
}

// pairs is the value of a repeatable flag that gives something to an interface: NAME=WHAT.
type pairs struct {
	what string
	many bool // one interface may be given several
	list [][2]string
}

func (p *pairs) String() string { return "" }

func (p *pairs) Type() string { return "NAME=" + p.what }

func (p *pairs) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || value == "" {
		return fmt.Errorf("want %s, as in %s=%s", p.Type(), specs.Workflow, p.example())
	}
	if err := knownInterface(name, specs.InterfaceNames()); err != nil {
		return err
	}
	if !p.many && slices.ContainsFunc(p.list, func(other [2]string) bool { return other[0] == name }) {
		return fmt.Errorf("interface %s is given twice", name)
	}
	p.list = append(p.list, [2]string{name, value})
	return nil
}

func (p *pairs) example() string {
	switch p.what {
	case "URL":
		return "https://workflow.example.com"
	case "FILE":
		return "workflow.yaml"
	}
	return "127.0.0.1:4011"
}

// addPairsFlag adds a flag that gives something to an interface, with completion of the interfaces.
func addPairsFlag(c *cobra.Command, name, usage string, value pairs) *pairs {
	flags := &value
	c.Flags().Var(flags, name, usage)
	var names []string
	for _, name := range specs.InterfaceNames() {
		names = append(names, name+"=")
	}
	directive := cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	if err := c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(names, directive)); err != nil {
		panic(err)
	}
	return flags
}

func knownInterface(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("unknown interface %q; want %s", name, source.OneOf(name, names))
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
