package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
)

// rewrites is the value of a repeatable flag that replaces the prefixes of addresses: FROM=TO.
type rewrites struct{ list [][2]string }

func (r *rewrites) String() string { return "" }

func (r *rewrites) Type() string { return "FROM=TO" }

func (r *rewrites) Set(text string) error {
	from, to, found := strings.Cut(text, "=")
	if !found || from == "" || to == "" {
		return fmt.Errorf("want %s, as in /gw/wf=https://workflow.example.com or /v1/tenant-*=/", r.Type())
	}
	if err := contract.CheckRewrite(from, to); err != nil {
		return err
	}
	r.list = append(r.list, [2]string{from, to})
	return nil
}

func (r *rewrites) options() []contract.Option {
	var opts []contract.Option
	for _, pair := range r.list {
		opts = append(opts, contract.WithRewrite(pair[0], pair[1]))
	}
	return opts
}

// addRewriteFlag adds the flag to a command that reads recordings.
func addRewriteFlag(c *cobra.Command) *rewrites {
	var value rewrites
	c.Flags().Var(&value, "rewrite",
		"judge addresses that begin with FROM as if they began with TO: a path on any host, or a URL;\n"+
			"hosts and segments of FROM may be patterns, the first that matches applies (repeatable)")
	return &value
}
