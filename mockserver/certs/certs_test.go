package certs_test

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/mockserver/certs"
)

var hosts = []string{"localhost", "*.localhost", "flow.localhost", "127.0.0.1", "::1", "127.0.0.1"}

// shakeHands connects a client that trusts a pool to a server, by a name.
func shakeHands(t *testing.T, server *tls.Config, pool *x509.CertPool, name string) error {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		if far, err := listener.Accept(); err == nil {
			_ = far.(*tls.Conn).HandshakeContext(t.Context())
			_ = far.Close()
		}
	}()
	dialer := tls.Dialer{Config: &tls.Config{ServerName: name, RootCAs: pool, MinVersion: tls.VersionTLS12}}
	near, err := dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
	if err == nil {
		_ = near.Close()
	}
	return err
}

func TestConfig(t *testing.T) {
	t.Parallel()
	ca, err := certs.New()
	if err != nil {
		t.Fatal(err)
	}
	config, err := ca.Config(hosts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("is good for its names and addresses", func(t *testing.T) {
		t.Parallel()
		for _, name := range append([]string{"core.localhost"}, "localhost", "flow.localhost", "127.0.0.1", "::1") {
			if err := shakeHands(t, config, ca.Pool(), name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("is for no other name", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"shop.example", "127.0.0.2", "a.b.localhost"} {
			if err := shakeHands(t, config, ca.Pool(), name); err == nil {
				t.Errorf("%s is accepted", name)
			}
		}
	})
	t.Run("is trusted by nobody who does not trust its CA", func(t *testing.T) {
		t.Parallel()
		other, err := certs.New()
		if err != nil {
			t.Fatal(err)
		}
		if err := shakeHands(t, config, other.Pool(), "localhost"); err == nil {
			t.Error("a client of another CA accepts it")
		}
	})
	t.Run("the CA's certificate can be read by others", func(t *testing.T) {
		t.Parallel()
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(ca.PEM()) {
			t.Fatalf("no certificate in %s", ca.PEM())
		}
		if err := shakeHands(t, config, pool, "localhost"); err != nil {
			t.Error(err)
		}
	})
}

func TestCertificatesAreRenewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ca, err := certs.New()
		if err != nil {
			t.Fatal(err)
		}
		config, err := ca.Config(hosts...)
		if err != nil {
			t.Fatal(err)
		}
		serial := func() string {
			certificate, err := config.GetCertificate(nil)
			if err != nil {
				t.Fatal(err)
			}
			if until := time.Until(certificate.Leaf.NotAfter); until < 24*time.Hour || until > 30*24*time.Hour {
				t.Errorf("the certificate ends in %v", until)
			}
			return certificate.Leaf.SerialNumber.String()
		}
		first := serial()
		time.Sleep(28 * 24 * time.Hour)
		if serial() != first {
			t.Error("it is another certificate while the first is good")
		}
		time.Sleep(36 * time.Hour)
		if serial() == first {
			t.Error("it is the same certificate near its end")
		}
	})
}

func TestOpen(t *testing.T) {
	t.Parallel()
	t.Run("makes a CA once", func(t *testing.T) {
		t.Parallel()
		in := filepath.Join(t.TempDir(), "not", "there", "yet")
		first, err := certs.Open(in)
		if err != nil {
			t.Fatal(err)
		}
		again, err := certs.Open(in)
		if err != nil {
			t.Fatal(err)
		}
		config, err := again.Config(hosts...)
		if err != nil {
			t.Fatal(err)
		}
		if err := shakeHands(t, config, first.Pool(), "localhost"); err != nil {
			t.Errorf("who trusts the first does not trust the second: %v", err)
		}
		written, err := os.ReadFile(certs.Path(in))
		if err != nil || string(written) != string(first.PEM()) {
			t.Errorf("the file is %s, error %v", written, err)
		}
	})
	t.Run("nobody else may read the key", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS == "windows" {
			t.Skip("it has other rights")
		}
		in := t.TempDir()
		if _, err := certs.Open(in); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(in, "ca", "ca-key.pem"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, error %v", info.Mode(), err)
		}
	})
	t.Run("several at once make one", func(t *testing.T) {
		t.Parallel()
		in := t.TempDir()
		found := make([]string, 16)
		var wg sync.WaitGroup
		for i := range found {
			wg.Go(func() {
				ca, err := certs.Open(in)
				if err != nil {
					t.Error(err)
					return
				}
				found[i] = string(ca.PEM())
			})
		}
		wg.Wait()
		for i := range found {
			if found[i] != found[0] {
				t.Errorf("number %d has another CA", i)
			}
		}
		if left, err := os.ReadDir(in); err != nil || len(left) != 1 {
			t.Errorf("left are %v, error %v", left, err)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "other")
	if _, err := certs.Open(other); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(other, "ca", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	strange := read("ca-key.pem")
	for name, test := range map[string]struct {
		spoil func(cert, key string) error
		want  string
	}{
		"a certificate that is none": {
			func(cert, _ string) error { return os.WriteFile(cert, []byte("none"), 0o644) },
			"PEM",
		},
		"a certificate that was cut": {func(cert, _ string) error { return os.Truncate(cert, 100) }, "PEM"},
		"an empty key":               {func(_, key string) error { return os.Truncate(key, 0) }, "PEM"},
		"a key of another CA": {
			func(_, key string) error { return os.WriteFile(key, []byte(strange), 0o600) },
			"does not match",
		},
		"a missing key":                {func(_, key string) error { return os.Remove(key) }, "ca-key.pem"},
		"a missing certificate":        {func(cert, _ string) error { return os.Remove(cert) }, "ca.pem"},
		"a key that others may read":   {func(_, key string) error { return os.Chmod(key, 0o644) }, "0600"},
		"a file in the folder's place": {nil, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := t.TempDir()
			folder := filepath.Join(in, "ca")
			if test.spoil == nil {
				if err := os.WriteFile(folder, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			} else {
				if _, err := certs.Open(in); err != nil {
					t.Fatal(err)
				}
				if err := test.spoil(filepath.Join(folder, "ca.pem"), filepath.Join(folder, "ca-key.pem")); err != nil {
					t.Fatal(err)
				}
			}
			_, err := certs.Open(in)
			if err == nil {
				t.Fatal("it is accepted")
			}
			for _, want := range []string{test.want, folder} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
		})
	}
}
