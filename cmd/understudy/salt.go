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

// bytes returns the salt, or nil if there is no folder to keep it in: it is then another one each time.
func (s *saltFlag) bytes() ([]byte, error) {
	if s.text != "" {
		return []byte(s.text), nil
	}
	folder, err := certs.UserFolder()
	if err != nil || os.MkdirAll(folder, 0o700) != nil {
		return nil, nil //nolint:nilerr // the salt is then another one each time
	}
	file := filepath.Join(folder, "salt")
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.WriteString(rand.Text())
		err = errors.Join(err, f.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, nil // the salt is then another one each time
	}
	salt, err := os.ReadFile(file)
	if err == nil && len(salt) == 0 {
		err = errors.New("want some text in it")
	}
	if err != nil {
		return nil, fmt.Errorf("read the salt of digests: %s: %w", file, err)
	}
	return salt, nil
}
