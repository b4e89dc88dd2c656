package main_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// pages returns every page that people read, by its path from the root of the repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

func TestTheReadmeIsShort(t *testing.T) {
	t.Parallel()
	const most = 180
	if n := strings.Count(pages(t)["README.md"], "\n"); n > most {
		t.Errorf("README.md has %d lines, want %d at most: move what is about one subject into docs", n, most)
	}
}

var (
	fenced   = regexp.MustCompile("(?sm)^( *)```.*?^ *```$")
	inCode   = regexp.MustCompile("`[^`\n]*`")
	html     = regexp.MustCompile(`</?[a-zA-Z!][^>\n]*>`)
	headings = regexp.MustCompile(`(?m)^(#+) (.+)$`)
)

// prose returns a page without its blocks of code.
func prose(text string) string { return fenced.ReplaceAllString(text, "") }

func TestEveryPageIsPlainMarkdownUnderOneTitle(t *testing.T) {
	t.Parallel()
	for name, text := range pages(t) {
		var titles []string
		for _, heading := range headings.FindAllStringSubmatch(prose(text), -1) {
			if heading[1] == "#" {
				titles = append(titles, heading[2])
			}
		}
		if len(titles) != 1 || !strings.HasPrefix(text, "# ") {
			t.Errorf("%s has the titles %q, want one, in its first line", name, titles)
		}
		if tags := html.FindAllString(inCode.ReplaceAllString(prose(text), ""), -1); tags != nil {
			t.Errorf("%s has HTML: %q", name, tags)
		}
	}
}
