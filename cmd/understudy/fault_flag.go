package main

import (
	"github.com/spf13/pflag"

	"svc.example/understudy/fixtures"
)

// faultFlags are faults that are planned from the start, each in words.
type faultFlags struct {
	list  []fixtures.Fault
	texts []string
}

var _ pflag.SliceValue = (*faultFlags)(nil)

// Set implements pflag.Value: it adds a fault.
func (f *faultFlags) Set(text string) error {
	fault, err := fixtures.ParseFault(text)
	if err != nil {
		return err
	}
	f.list, f.texts = append(f.list, fault), append(f.texts, text)
	return nil
}

// String implements pflag.Value.
func (f *faultFlags) String() string { return "" }

// Type implements pflag.Value.
func (f *faultFlags) Type() string { return "FAULT" }

// Append implements pflag.SliceValue.
func (f *faultFlags) Append(text string) error { return f.Set(text) }

// Replace implements pflag.SliceValue.
func (f *faultFlags) Replace(texts []string) error {
	*f = faultFlags{}
	for _, text := range texts {
		if err := f.Set(text); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice implements pflag.SliceValue.
func (f *faultFlags) GetSlice() []string { return f.texts }
