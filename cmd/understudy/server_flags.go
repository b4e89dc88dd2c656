package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs/source"
)

// The variables of the environment that may contain a token: of the control interface, and of the proxy.
const (
	tokenVariable      = "UNDERSTUDY_CONTROL_TOKEN"
	proxyTokenVariable = "UNDERSTUDY_PROXY_TOKEN"
)

// tokenFlags say which token clients must present.
type tokenFlags struct {
	token    string
	file     string
	variable string
}

// add adds the flags. Name is that of the token's.
func (f *tokenFlags) add(c *cobra.Command, name, usage string) {
	f.variable = proxyTokenVariable
	if name == "control-token" {
		f.variable = tokenVariable
	}
	c.Flags().StringVar(&f.token, name, "", usage)
	c.Flags().StringVar(&f.file, name+"-file", "",
		"read the token from `FILE`; the environment variable\n"+f.variable+" may contain it as well")
}

// find sets the token: from its flag, its file or the environment, in this order.
func (f *tokenFlags) find(name string) error {
	switch {
	case f.token != "" && f.file != "":
		return fmt.Errorf("--%s and --%[1]s-file: want only one of them", name)
	case f.file != "":
		text, err := source.ReadFile(f.file)
		if err != nil {
			return fmt.Errorf("--%s-file: %w", name, err)
		}
		if f.token = strings.TrimSpace(string(text)); f.token == "" {
			return fmt.Errorf("--%s-file: %s is empty", name, f.file)
		}
	case f.token == "":
		f.token = os.Getenv(f.variable)
	}
	return nil
}

// logFlags say what is logged.
type logFlags struct{ level, format *checkflags.Choice }

func (f *logFlags) add(c *cobra.Command) {
	f.level = addEnumFlag(c, "log-level", "the lowest level to log",
		checkflags.Choice{Word: "info", Words: []string{"debug", "info", "warn", "error"}})
	f.format = addEnumFlag(c, "log-format", "the format of log lines", checkflags.ChoiceOf("text", "json"))
}

func (f *logFlags) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.level.Word)); err != nil {
		return nil, err
	}
	opts := &slog.HandlerOptions{Level: level}
	if f.format.Word == "json" {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}
