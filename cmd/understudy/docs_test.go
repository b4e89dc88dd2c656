package main_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
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
	mapped = regexp.MustCompile("\\| \\[[^]]+\\]\\(([^)]+\\.go)\\) `([^`]+)` \\|")
	drawn  = regexp.MustCompile(`[├└]─ ([a-z/]+(?:, [a-z/]+)*)`)
	named  = regexp.MustCompile("`([a-z/]+(?:\\.go)?)`")
)

func TestTheMapOfContributorsIsTrue(t *testing.T) {
	t.Parallel()
	_, page, _ := strings.Cut(pages(t)["CONTRIBUTING.md"], "## A map")
	page, _, _ = strings.Cut(page, "## Build")
	prose, _, _ := strings.Cut(page, "| question")

	answers := mapped.FindAllStringSubmatch(page, -1)
	if len(answers) < 20 {
		t.Errorf("%d questions have an answer, want 20 at least", len(answers))
	}
	for _, answer := range answers {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(answer[1])))
		if err != nil {
			t.Error(err)
			continue
		}
		declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var )` + answer[2] + `\b`)
		if !declared.Match(text) {
			t.Errorf("%s does not declare %s", answer[1], answer[2])
		}
	}

	names := named.FindAllStringSubmatch(prose, -1)
	for _, match := range drawn.FindAllStringSubmatch(page, -1) {
		for name := range strings.SplitSeq(match[1], ", ") {
			names = append(names, []string{"", name})
		}
	}
	if len(names) < 40 {
		t.Errorf("the map names %d packages and files, want 40 at least", len(names))
	}
	for _, name := range names {
		isThere := slices.ContainsFunc([]string{"", "mockserver", "mockserver/internal", "contract", "contract/internal"},
			func(above string) bool {
				_, err := os.Stat(filepath.Join(root, filepath.FromSlash(above), filepath.FromSlash(name[1])))
				return err == nil
			})
		if !isThere {
			t.Errorf("the map names %s, which is not there", name[1])
		}
	}
}

var (
	fenced   = regexp.MustCompile("(?sm)^( *)```.*?^ *```$")
	inCode   = regexp.MustCompile("`[^`\n]*`")
	html     = regexp.MustCompile(`</?[a-zA-Z!][^>\n]*>`)
	headings = regexp.MustCompile(`(?m)^(#+) (.+)$`)
	links    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
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

// notInAnchor matches the characters that GitHub removes from a heading in lower case to make its anchor.
var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(text string) (list []string) {
	for _, heading := range headings.FindAllStringSubmatch(prose(text), -1) {
		anchor := notInAnchor.ReplaceAllString(strings.ToLower(heading[2]), "")
		list = append(list, strings.ReplaceAll(anchor, " ", "-"))
	}
	return list
}

// linked returns the targets of a page's relative links, by path from the root and anchor.
func linked(name, text string) (targets [][2]string) {
	for _, link := range links.FindAllStringSubmatch(inCode.ReplaceAllString(prose(text), ""), -1) {
		if strings.Contains(link[1], "://") {
			continue
		}
		file, anchor, _ := strings.Cut(link[1], "#")
		target := name
		if file != "" {
			target = path.Join(path.Dir(name), file)
		}
		targets = append(targets, [2]string{target, anchor})
	}
	return targets
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	texts, known := pages(t), map[string][]string{}
	for name, text := range texts {
		known[name] = anchors(text)
	}
	for name, text := range texts {
		for _, target := range linked(name, text) {
			file, anchor := target[0], target[1]
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s has a link to %s, which does not exist", name, file)
			} else if anchor != "" && !slices.Contains(known[file], anchor) {
				t.Errorf("%s has a link to #%s in %s, which has no such heading", name, anchor, file)
			}
		}
	}
}

func TestHeadingsOfAPageHaveAnchorsOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, text := range pages(t) {
		list := anchors(text)
		slices.Sort(list)
		for i := 1; i < len(list); i++ {
			if list[i] == list[i-1] {
				t.Errorf("%s has more than one heading #%s", name, list[i])
			}
		}
	}
}

func TestEveryPageIsReachableFromTheIndex(t *testing.T) {
	t.Parallel()
	texts := pages(t)
	reached := map[string]bool{}
	next := []string{"docs/README.md"}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if reached[name] || texts[name] == "" {
			continue
		}
		reached[name] = true
		for _, target := range linked(name, texts[name]) {
			next = append(next, target[0])
		}
	}
	for name := range texts {
		if !reached[name] {
			t.Errorf("no link leads from docs/README.md to %s", name)
		}
	}
}
