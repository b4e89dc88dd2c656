package certs

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// The files of a CA, in a folder of their own, so that both appear at once.
const (
	folder   = "ca"
	certFile = "ca.pem"
	keyFile  = "ca-key.pem"
)

// UserFolder returns the folder that the CA of a user is kept in: understudy in the user's folder of configurations.
func UserFolder() (string, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the CA: %w", err)
	}
	return filepath.Join(config, "understudy"), nil
}

// Path returns the file of the certificate of the CA that is kept in a folder.
func Path(in string) string { return filepath.Join(in, folder, certFile) }

// Open returns the CA that is kept in a folder. The first time it makes one; of several that do so at once, one wins,
// and all return its CA.
func Open(in string) (*CA, error) {
	at := filepath.Join(in, folder)
	if !exists(filepath.Join(at, certFile)) && !exists(filepath.Join(at, keyFile)) {
		if err := create(in, at); err != nil {
			return nil, fmt.Errorf("create the CA %s: %w", at, err)
		}
	}
	ca, err := load(at)
	if err != nil {
		return nil, fmt.Errorf("read the CA %s: %w; delete that folder to create a new CA, which clients must then be "+
			"configured to trust", at, err)
	}
	return ca, nil
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

// create writes a new CA beside its place and then moves it there, unless another is there by then.
func create(in, at string) error {
	ca, err := New()
	if err != nil {
		return err
	}
	key, err := x509.MarshalPKCS8PrivateKey(ca.key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(in, 0o700); err != nil {
		return err
	}
	draft, err := os.MkdirTemp(in, folder+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(draft) }() // of a draft that was moved nothing is left
	err = errors.Join(
		os.WriteFile(filepath.Join(draft, certFile), ca.PEM(), 0o644),
		os.WriteFile(filepath.Join(draft, keyFile), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600),
	)
	if err != nil {
		return err
	}
	if err := os.Rename(draft, at); err != nil && !exists(filepath.Join(at, keyFile)) {
		return err
	}
	return nil
}

func load(at string) (*CA, error) {
	if err := private(filepath.Join(at, keyFile)); err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(at, certFile), filepath.Join(at, keyFile))
	if err != nil {
		return nil, err
	}
	key, ok := pair.PrivateKey.(crypto.Signer)
	switch end := pair.Leaf.NotAfter; {
	case !ok || !pair.Leaf.IsCA:
		return nil, errors.New("its certificate is not a CA certificate")
	case time.Until(end) < leafLife:
		return nil, fmt.Errorf("its certificate expired on %s", end.Format(time.DateOnly))
	}
	return &CA{pair.Leaf, key}, nil
}

// private refuses a key that others may read: who has it can pretend to be any server, to all who trust the CA.
func private(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return fmt.Errorf("%s is readable by others: its mode is %04o, want 0600", keyFile, mode)
	}
	return nil
}
