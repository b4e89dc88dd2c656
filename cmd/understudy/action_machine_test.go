//go:build unix

package main_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// cygpath stands in for that of Git's bash. Drive D is the folder that DRIVE names.
const cygpath = `#!/bin/sh
case "$1 $2" in
"-m D:\\"* | "-u D:\\"*) printf '%s/%s\n' "$DRIVE" "$(printf %s "${2#D:\\}" | tr '\\' /)" ;;
"-w $DRIVE/"*) printf 'D:\\%s\n' "$(printf %s "${2#"$DRIVE"/}" | tr / '\\')" ;;
*) printf '%s\n' "$2" ;;
esac
`

// toolsOf returns a folder with the programs that a system has, by a value of RUNNER_OS, and that the action needs.
func toolsOf(t *testing.T, system string) string {
	t.Helper()
	names := []string{"bash", "cat", "curl", "env", "grep", "mkdir", "mktemp", "mv", "rm", "sh", "sleep", "tail", "tr"}
	names = append(names, map[string][]string{
		"Linux": {"tar", "gzip", "sha256sum"}, "macOS": {"tar", "gzip", "shasum"}, "Windows": {"unzip", "sha256sum"},
	}[system]...)
	dir := t.TempDir()
	for _, name := range names {
		program := find(name)
		if program == "" {
			t.Skipf("this machine has no %s", name)
		}
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if system == "Windows" {
		if err := os.WriteFile(filepath.Join(dir, "cygpath"), []byte(cygpath), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	return dir
}

// release returns a folder with a release for a system on amd64, whose command is the one under test. A checksum that
// is not empty is given instead of the archive's.
func release(t *testing.T, system, checksum string) string {
	t.Helper()
	program, err := exec.LookPath("understudy")
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec '" + program + "' \"$@\"\n"
	name, pack := "understudy_linux_amd64.tar.gz", inTar
	switch system {
	case "macOS":
		name = "understudy_darwin_amd64.tar.gz"
	case "Windows":
		name, pack = "understudy_windows_amd64.zip", inZip
	}
	content := pack(t, script)
	if checksum == "" {
		checksum = fmt.Sprintf("%x", sha256.Sum256(content))
	}
	list := strings.Repeat("1", 64) + "  other_" + name + "\n" + checksum + "  " + name + "\n"
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, name), content, 0o600),
		os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(list), 0o600)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inTar packs a program as releases for Linux and macOS have it.
func inTar(t *testing.T, script string) []byte {
	t.Helper()
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	packed := tar.NewWriter(compressed)
	err := packed.WriteHeader(&tar.Header{Name: "understudy", Mode: 0o755, Size: int64(len(script))})
	_, wrote := io.WriteString(packed, script)
	if err := errors.Join(err, wrote, packed.Close(), compressed.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inZip packs a program as releases for Windows have it.
func inZip(t *testing.T, script string) []byte {
	t.Helper()
	var b bytes.Buffer
	packed := zip.NewWriter(&b)
	header := &zip.FileHeader{Name: "understudy.exe", Method: zip.Deflate}
	header.SetMode(0o755)
	file, err := packed.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	_, wrote := io.WriteString(file, script)
	if err := errors.Join(wrote, packed.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
