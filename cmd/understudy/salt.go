package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"svc.example/understudy/mockserver/certs"
)

// saltFlag is the value of --salt, which goes into the digests of secret keys. Without it, a file in the user's folder
// of configurations does, so that a key has one digest in all recordings of the user.
type saltFlag struct{ text string }

func (s *saltFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&s.text, "salt", "",
		"the `TEXT` that the digests of secret keys depend on: equal keys have equal digests with the same one\n"+
			"(default: the content of a file in your folder of configurations, made at first use)")
}

// bytes returns the salt. Where there is no folder to keep one in, it returns nil, and each run has a salt of its own.
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
