package reports_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// mock is one mock for all tests.
var mock struct {
	Interfaces struct{ Core string }
	Control    string
}

func TestMain(m *testing.M) {
	cmd := exec.Command("understudy", "serve", "--listen", "127.0.0.1:0", "--log-level", "warn")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		err = json.NewDecoder(stdout).Decode(&mock) // comes when the mock can answer
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	os.Exit(code)
}

// world is a world for one test, which sees nothing of what others do.
type world struct {
	ID   string
	Keys struct{ Admin string } // a client with this key is in this world
}

func newWorld(t *testing.T) *world {
	w := &world{}
	call(t, mock.Control+"/worlds", `{"scenario":"quickstart","mintKeys":true}`, w)
	return w
}

func (w *world) fault(t *testing.T, fault string) {
	call(t, mock.Control+"/worlds/"+w.ID+"/faults", fault, &struct{}{})
}

func (w *world) calls(t *testing.T) map[string]int {
	var counts struct{ Operations map[string]int }
	call(t, mock.Control+"/worlds/"+w.ID+"/journal/counts", "", &counts)
	return counts.Operations
}

// call posts a body, or gets what is there if it is empty.
func call(t *testing.T, url, body string, answer any) {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s: %s %v", url, text, err)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		t.Fatal(err)
	}
}
