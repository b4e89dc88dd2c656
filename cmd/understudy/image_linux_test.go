package main_test

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestImage runs what the Dockerfile promises: its command in a folder that holds nothing else, as the user without a
// name that it gives, and its health check beside it. IMAGE names the unpacked file system of an image that was built;
// without it, the folder has the binary of these tests if that is static. IMAGE_PORTS=own keeps the port of the
// Dockerfile, for .ci/image, which gives this test a network of its own; otherwise a free port is used.
func TestImage(t *testing.T) {
	t.Parallel()
	image := readDockerfile(t)
	if image.root = os.Getenv("IMAGE"); image.root == "" {
		image.root = emptyMachine(t)
	}
	var address []string // of the health check, if the port is another
	if os.Getenv("IMAGE_PORTS") != "own" {
		image.listen = "0.0.0.0:0"
	}
	const token = "of-this-test"
	mock := &process{log: filepath.Join(t.TempDir(), "stderr")}
	stderr, err := os.Create(mock.log)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	mock.cmd = image.command(t, image.serve, "UNDERSTUDY_CONTROL_TOKEN="+token)
	mock.cmd.Stderr = stderr
	startInside(t, mock)
	if os.Getenv("IMAGE_PORTS") != "own" {
		address = []string{"--url", mock.ready.URL}
	}
	runsAs(t, mock, image.user)
	if out, err := image.command(t, append(image.health, address...)).CombinedOutput(); err != nil {
		t.Errorf("the health check of a mock that is ready: %v\n%s", err, out)
	}
	wantStatus(t, mock.ready.Interfaces["workflow"]+"/api/pools", "SVC1 1/admin", http.StatusOK)
	wantStatus(t, mock.ready.Control+"/worlds", "", http.StatusUnauthorized)
	wantStatus(t, mock.ready.Control+"/worlds", "Bearer "+token, http.StatusOK)
	mock.stop(t)
	if out, err := image.command(t, append(image.health, address...)).CombinedOutput(); err == nil {
		t.Errorf("the health check succeeds after the mock has ended\n%s", out)
	}
}

// image holds the instructions of a Dockerfile.
type image struct {
	root          string
	user          uint32
	serve, health []string
	home, listen  string
}

func readDockerfile(t *testing.T) *image {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	list := func(instruction string) (words []string) {
		t.Helper()
		if err := json.Unmarshal([]byte(instructed(t, file, instruction, `(\[.*\])`)), &words); err != nil {
			t.Fatalf("%s: %v; want the exec form, since the image has no shell", instruction, err)
		}
		return words
	}
	user, err := strconv.ParseUint(instructed(t, file, "USER", `(\d+):\d+`), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return &image{
		user: uint32(user), home: instructed(t, file, "ENV", `HOME=(\S+).*`),
		listen: instructed(t, file, "ENV", `.*UNDERSTUDY_LISTEN=(\S+)`),
		serve:  append(list("ENTRYPOINT"), list("CMD")...), health: list("HEALTHCHECK .* CMD"),
	}
}

// instructed returns what an instruction of the last stage gives.
func instructed(t *testing.T, file []byte, instruction, form string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^`+instruction+` +`+form+`$`).FindAllSubmatch(file, -1)
	if found == nil {
		t.Fatalf("the Dockerfile has no %s of the form %s", instruction, form)
	}
	return string(found[len(found)-1][1])
}

// emptyMachine returns a folder with what an image from scratch has: a static binary, and a home. The binary is that of
// these tests, which stands in for the command: building another one takes minutes if no other test shares its flags.
func emptyMachine(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "usr/local/bin")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if !isStatic(t, program) {
		t.Skip("these tests are not a static binary: CGO_ENABLED=0 go test makes one, and .ci/image the whole image")
	}
	content, err := os.ReadFile(program)
	if err == nil {
		err = os.MkdirAll(bin, 0o755) //nolint:gosec // as folders of an image are
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(bin, "understudy"), content, 0o755) //nolint:gosec // as commands of an image are
	}
	if err != nil {
		t.Fatal(err)
	}
	for at := bin; len(at) >= len(filepath.Dir(dir)); at = filepath.Dir(at) { // for every user, up to t's own folder
		if err := os.Chmod(at, 0o755); err != nil { //nolint:gosec // as folders of an image are
			t.Fatal(err)
		}
	}
	return dir
}

// isStatic reports whether a program needs no other file to run.
func isStatic(t *testing.T, program string) bool {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	needsLoader := slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return !needsLoader
}

// command returns a command in the image. It runs as the image's user: for root by its number, otherwise in a namespace
// where this process's user has that number.
func (i *image) command(t *testing.T, words []string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Path, cmd.Err = words[0], nil // in the image
	cmd.Dir, cmd.Env = "/", slices.Concat(env, []string{"HOME=" + i.home, "UNDERSTUDY_LISTEN=" + i.listen})
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: i.root}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: i.user, Gid: i.user}
		return cmd
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: int(i.user), HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: int(i.user), HostID: os.Getgid(), Size: 1}}
	return cmd
}

// startInside starts the mock, and waits until it is ready.
func startInside(t *testing.T, p *process) {
	t.Helper()
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = p.cmd.Start()
	if errors.Is(err, syscall.EPERM) && os.Geteuid() != 0 {
		t.Skip("this machine lets only root change the root of the file system")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(stdout).Decode(&p.ready); err != nil {
		t.Fatalf("no ready line: %v\n%s", err, p.stderr(t))
	}
	local := func(url string) string { return strings.Replace(url, "//localhost:", "//127.0.0.1:", 1) }
	p.ready.URL, p.ready.Control = local(p.ready.URL), local(p.ready.Control) // an empty machine knows no names
	for name, url := range p.ready.Interfaces {
		p.ready.Interfaces[name] = local(url)
	}
}

// runsAs wants the process to be that of the user.
func runsAs(t *testing.T, p *process, user uint32) {
	t.Helper()
	if os.Geteuid() != 0 {
		return // seen from here, it is this process's user
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	id := strconv.FormatUint(uint64(user), 10)
	if want := "\nUid:\t" + strings.Join([]string{id, id, id, id}, "\t") + "\n"; !strings.Contains(string(status), want) {
		t.Errorf("the process does not run as %s:\n%s", id, status)
	}
}

func wantStatus(t *testing.T, url, authorization string, want int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", authorization)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != want {
		t.Errorf("%s: %d, want %d", url, response.StatusCode, want)
	}
}
