package commands_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// junit is the path of the test runner that Debian's package junit5 installs.
const junit = "/usr/share/java/junit-platform-console-standalone.jar"

// TestClients runs the tests of the packages in clients, in the languages that this machine has.
func TestClients(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out commands that run alone")
	}
	path := commandPath(t)
	const python = "export PYTHONPATH=$PWD/src PYTHONDONTWRITEBYTECODE=1; /usr/bin/python3 "
	for name, client := range map[string]struct{ folder, needs, run string }{
		"Python": {"python", "/usr/bin/python3 --version", python + "tests/test_understudy.py"},
		"pytest": {
			"python", "/usr/bin/python3 -m pytest --version",
			python + "-m pytest -q -p no:cacheprovider tests/test_plugin.py",
		},
		"TypeScript": {"typescript", `node --eval 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'`, "node --test"},
		"Java": {
			"java", "javac -cp " + junit + " --version && test -f " + junit,
			"classes=$(mktemp -d); trap 'rm -r $classes' EXIT\njavac -Xlint:all -Werror -d $classes -cp " + junit +
				" $(find src -name '*.java')\njava -jar " + junit + " -cp $classes --scan-classpath --disable-banner",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(root, "clients", client.folder)
			if err := filepath.WalkDir(dir, noted); err != nil {
				t.Fatal(err)
			}
			if _, err := shellIn(t, dir, path, client.needs); err != nil {
				t.Skipf("this machine cannot run %q", client.needs)
			}
			if out, err := shellIn(t, dir, path, client.run); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// commandPath returns the variable by which shells find the command.
func commandPath(t *testing.T) string {
	t.Helper()
	return "PATH=" + filepath.Dir(understudy(t)) + string(filepath.ListSeparator) + os.Getenv("PATH")
}

// noted looks at a file, so that go test runs the test again when that has changed.
func noted(path string, _ fs.DirEntry, err error) error {
	if err == nil {
		_, err = os.Stat(path)
	}
	return err
}

// shellIn runs a script in a folder, with one more variable in its environment.
func shellIn(t *testing.T, dir, variable, script string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), variable)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
