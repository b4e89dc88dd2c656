package main

import "github.com/spf13/pflag"

// Main runs main, for tests that run it as a process of its own.
func Main() { main() }

// Flags returns the flags of the command.
func Flags() *pflag.FlagSet { return newCommand().Flags() }
