package learn_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/fold"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
)

// The steps of a story that is learned are folded: unfolded, they are fewer to a line, send the same requests in the
// same order, and fold to the same lines again. LEARN is the number of random sessions.
func TestLearnedStoriesUnfold(t *testing.T) {
	t.Parallel()
	checker := checktest.Example(t)
	names := scenarios.List()
	for seed := range min(learnSessions(t), 50) {
		name := names[seed%len(names)]
		t.Run(fmt.Sprintf("%s-%d", name, seed), func(t *testing.T) {
			t.Parallel()
			list := randomSession(t, name, 2000+seed, sessionLength).Recorder.Exchanges()
			learned, err := checker.Learn(t.Context(), contract.Exchanges(slices.Values(list)), checktest.Build(t))
			if err != nil {
				t.Fatal(err)
			}
			lines := storyLines(learned.Story)
			plain := unfolded(t, lines)
			if diff := cmp.Diff(lines, fold.Lines(plain)); diff != "" {
				t.Errorf("it folds otherwise (-want +got)\n%s", diff)
			}
			if len(plain) <= len(lines) {
				t.Errorf("%d lines stand for %d", len(lines), len(plain))
			}
			archive := txtar.Parse(learned.Story)
			archive.Comment = []byte(strings.Join(plain, "\n") + "\n")
			if diff := cmp.Diff(sentBy(t, learned, txtar.Format(archive)), sentBy(t, learned, learned.Story)); diff != "" {
				t.Errorf("other requests (-want +got)\n%s", diff)
			}
		})
	}
}

func storyLines(text []byte) []string {
	return strings.Split(strings.TrimSuffix(string(txtar.Parse(text).Comment), "\n"), "\n")
}

// unfolded returns the lines with a step in each.
func unfolded(t *testing.T, lines []string) (plain []string) {
	t.Helper()
	isStep := func(name string) bool {
		return strings.ToUpper(name) == name || slices.Contains([]string{
			"archive", "as", "capture", "match", "poll",
		}, name)
	}
	for _, line := range lines {
		words, err := fold.Words(line)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := fold.Steps(words, isStep)
		if err != nil {
			t.Fatal(err)
		}
		if len(steps) == 1 { // as it is, with its comment
			plain = append(plain, line)
			continue
		}
		for _, step := range steps {
			for i, word := range step {
				if strings.ContainsAny(word, " '#{[") {
					step[i] = "'" + strings.ReplaceAll(word, "'", "''") + "'"
				}
			}
			plain = append(plain, strings.Join(step, " "))
		}
	}
	return plain
}

// sentBy plays a story with a mock of what was learned, and returns the requests.
func sentBy(t *testing.T, learned *contract.Learned, text []byte) (sent []string) {
	t.Helper()
	mock := learnedServer(t, learned)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent = append(sent, fmt.Sprintln(r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"), string(body)))
		r.Body = io.NopCloser(bytes.NewReader(body))
		mock.ServeHTTP(w, r)
	})
	r, err := story.Play{File: "story.txtar", Text: text, Server: story.Server{Handler: handler}}.Run(t.Context())
	if err != nil || !r.Passed {
		t.Errorf("%v, %+v", err, r.Difference)
	}
	return sent
}
