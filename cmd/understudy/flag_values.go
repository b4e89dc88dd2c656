package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
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

func addHistoryFlag(c *cobra.Command, exchanges *int) {
	c.Flags().IntVar(exchanges, "history", defaultHistory,
		"keep each world as it was before its last `NUMBER` of exchanges, to fork it from there; 0 for none")
}
