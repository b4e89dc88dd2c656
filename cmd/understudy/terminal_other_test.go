//go:build !linux

package main_test

import (
	"errors"
	"os"
)

func openTerminal() (terminal, tty *os.File, err error) { return nil, nil, errors.ErrUnsupported }
