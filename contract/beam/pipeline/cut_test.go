package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/contract/beam/pipeline"
)

// Into however many pieces a file is cut, each line is in one of them as a whole, and pieces know where they begin.
func TestPiecesAreOfWholeLines(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":          "{\"seq\":1}\n{\"seq\":2}\n{\"seq\":3}\n",
		"no last end":    "{\"seq\":1}\n{\"seq\":2}\n{\"seq\":3}",
		"empty lines":    "{\"seq\":1}\n\n\n{\"seq\":2}\n\n",
		"CRLF":           "{\"seq\":1}\r\n\r\n{\"seq\":2}\r\n",
		"a long line":    "{\"seq\":1}\n{\"seq\":2,\"world\":\"" + strings.Repeat("x", 80) + "\"}\n{\"seq\":3}\n",
		"space and mark": "\ufeff \n\n {\"seq\":1}\n{\"seq\":2}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "lines.ndjson")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			want := strings.TrimLeft(text, "\ufeff \n")
			for n := 1; n < len(text)+3; n++ {
				pieces, starts, err := pipeline.Cut(t.Context(), path, n)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(pieces, ""); got != want {
					t.Errorf("%d pieces: %q, want %q", n, got, want)
				}
				for i, piece := range pieces {
					if !strings.HasPrefix(text[starts[i]:], piece) {
						t.Errorf("%d pieces: piece %d is not at %d: %q", n, i, starts[i], piece)
					}
					if rest := strings.Join(pieces[i+1:], ""); piece != "" && rest != "" && !strings.HasSuffix(piece, "\n") {
						t.Errorf("%d pieces: piece %d does not end with a line: %q", n, i, piece)
					}
				}
			}
		})
	}
}
