// Package certs makes the certificates that a server on the user's own machine shows, and the authority (CA) that signs
// them, which clients can be configured to trust.
package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	authorityLife = 10 * 365 * 24 * time.Hour
	leafLife      = 30 * 24 * time.Hour
	leafRenewal   = 24 * time.Hour // before its end
	skew          = time.Hour      // by which a client's clock may be behind
)

// CA signs certificates. It is safe for concurrent use.
type CA struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// New makes a CA that is kept nowhere.
func New() (*CA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("create the key of a CA: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "understudy CA", Organization: []string{"understudy"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(authorityLife),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
	}
	certificate, err := sign(template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("create the certificate of a CA: %w", err)
	}
	return &CA{certificate, key}, nil
}

func serial() *big.Int {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return new(big.Int).SetBytes(b)
}

func sign(template, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// PEM returns the certificate of the CA, for clients to trust.
func (c *CA) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.certificate.Raw})
}

// Pool has the certificate of the CA and no other.
func (c *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(c.certificate)
	return pool
}

// Config returns the settings of a server at these names and IP addresses. Its certificate is made now, and again
// before it ends; neither it nor its key is kept anywhere.
func (c *CA) Config(hosts ...string) (*tls.Config, error) {
	l := &leaf{ca: c, hosts: hosts}
	if _, err := l.get(nil); err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: l.get}, nil
}

// leaf is a server's certificate.
type leaf struct {
	ca    *CA
	hosts []string

	mu  sync.Mutex
	now *tls.Certificate
}

func (l *leaf) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil || time.Until(l.now.Leaf.NotAfter) < leafRenewal {
		certificate, err := l.ca.issue(l.hosts)
		if err != nil {
			return nil, err
		}
		l.now = certificate
	}
	return l.now, nil
}

// issue makes a certificate for names and IP addresses.
func (c *CA) issue(hosts []string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("create the key of a certificate: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "understudy", Organization: []string{"understudy"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(leafLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range slices.Compact(slices.Sorted(slices.Values(hosts))) {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	certificate, err := sign(template, c.certificate, key.Public(), c.key)
	if err != nil {
		return nil, fmt.Errorf("create a certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key, Leaf: certificate}, nil
}

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
