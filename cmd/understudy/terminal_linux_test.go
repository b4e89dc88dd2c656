package main_test

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a new terminal: what shows it, and what a program has.
func openTerminal() (terminal, tty *os.File, err error) {
	terminal, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(terminal.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	tty, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	return terminal, tty, err
}
