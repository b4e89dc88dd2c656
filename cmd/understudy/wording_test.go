package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wording is a form of words that has no place in a comment or a message.
type wording struct {
	in      where
	form    string
	except  string // phrases that contain the form and are plain English
	instead string
	bad     string // an example of the form
	good    string // the example as it should be
}

type where int

const (
	docs     where = 1 << iota // doc comments of declarations
	comments                   // all comments
	messages                   // string literals of three words or more
	shown                      // pages, and templates of the console and of reports
)

func wordings() []wording {
	return []wording{
		{
			in: docs, form: `(?i)^[\w.]+ (is|are) (what|how|where|when|why|whether)\b`,
			instead: "a verb of its own: returns, reports whether, holds, describes, or is the …",
			bad:     "Moment is when an exchange began.", good: "Moment is the time at which an exchange began.",
		},
		{
			in: comments | messages, form: `(?i)\b(tells?|telling|told)\b`,
			except:  `(?i)\b(tells?|telling|told)( \w+)? (apart|from)\b`,
			instead: "says, shows, reports, names or lists", bad: "the error tells the line",
			good: "callers that cannot be told apart",
		},
		{
			in: comments | messages, form: `\bis no\b`, except: `\bthere is no\b|\bis no (longer|more)\b`,
			instead: `"is not a …", "is not valid …"`, bad: "%q is no number", good: "%q is no longer a number",
		},
		{
			in: messages, form: `\b[Tt]here (is|are) no\b`, except: `\bthere are no more\b`,
			instead: `"unknown …; want …", "… not found", "… is missing"`,
			bad:     "there is no pool %q", good: "pool %q not found",
		},
		{
			in: comments | messages, form: `(?i)\b(is|are|was) none of\b|\bnone of (its|their) own\b`,
			instead: `"does not belong to", "is not one of"`, bad: "its attempt %d is none of its own",
			good: "attempt %d does not belong to the session",
		},
		{
			in: comments | messages, form: `(?i)\b(is|are|be) said\b|\bsaid of\b`, instead: "states, describes, documents",
			bad: "what is said of it here", good: "what the document states",
		},
		{
			in: comments | messages, form: `(?i)\b(some|no)body\b`,
			instead: "the caller, the client, the user, another process, or the passive",
			bad:     "nobody may remove it", good: "it cannot be removed",
		},
		{
			in: comments | messages, form: `(?i)\bfor want of\b|\bto be had\b`,
			instead: `"because … is missing", "because the limit is reached"`,
			bad:     "cut here for want of room", good: "cut here: the report's size limit is reached",
		},
		{
			in: messages, form: `\bis there (twice|already)\b`, instead: `"is given twice", "exists already"`,
			bad: "the key %q is there twice", good: "the key %q is given twice",
		},
		{
			in: messages, form: `\b(stands?|comes?|something) behind\b`, instead: `"unexpected data after …"`,
			bad: "something stands behind the object", good: "unexpected data after the object",
		},
		{
			in: messages, form: `\b(no|a) (JSON|YAML|gzip|base64|msgpack)(\b[:;,]|$)`, instead: `"not valid JSON"`,
			bad: "the body is not a gzip: %w", good: "the body is not valid gzip: %w",
		},
		{
			in: messages, form: `(?i)\boff[ -](the )?contract\b`, instead: `"does not match the document"`,
			bad: "off-contract answer", good: "response does not match the document",
		},
		{
			in: messages, form: `\bis another \w+'s\b`, instead: `"belongs to another user"`,
			bad: "job %d is another user's", good: "job %d belongs to another user",
		},
		{
			in: messages, form: `\bwhole numbers?\b`, instead: "integer", bad: "want a whole number", good: "want an integer",
		},
		{
			in: messages, form: `\blength of time\b`, instead: "duration", bad: "want a length of time", good: "want a duration",
		},
		{
			in: messages, form: `(?i)\b(stranger|voice)s?\b`, instead: "unmatched address; engine",
			bad: "two voices differ", good: "two engines differ",
		},
		{
			in: messages | shown, form: `(?i)\b(had|have|has|got|no) (a |its |their )?chances?\b`,
			instead: "exercised, checked", bad: "8 rules had a chance", good: "8 rules checked",
		},
		{
			in: messages | shown, form: `(?i)\bgoes (before|first)\b`, instead: "overrides",
			bad: "A flag goes before the file", good: "Flags override the file",
		},
		{
			in: messages | shown, form: `(?i)\bis meant if\b`, instead: "matches if",
			bad: "A call is meant if everything that is given fits", good: "A call matches if all given members match",
		},
		{
			in: shown, form: `(?m)^(#+ )?What of\b`, instead: "the subject alone",
			bad: "### What of injected faults", good: "### Injected faults",
		},
		{
			in: shown, form: `(?i)\bstands in \[`, instead: `"See … for …"`,
			bad: "What each takes as evidence stands in [rules](r)", good: "See [rules](r) for the evidence that each uses",
		},
		{
			in: messages | shown, form: `(?i)\btakes with (it|them)\b`, instead: "invalidates, removes",
			bad: "what a token takes with it", good: "what else a revoked token invalidates",
		},
		{
			in: messages | shown, form: `(?i)\bbut by (its|their) own\b|\bis answered for\b`, instead: `"no … planned", "no …"`,
			bad: "No operation is answered for.", good: "No stubs.",
		},
		{
			in: messages | shown, form: `(?i)\bagain and again\b`, instead: "repeatedly, recurring",
			bad: "happens again and again", good: "happens repeatedly",
		},
	}
}

// exempt lists texts that may have a form all the same, each with its reason.
var exempt = map[string]string{
	"nobody sends none": "stories have the key nobody",
}

// Comments and messages are plain English: forms of words that a native reader stumbles over do not come back.
func TestWording(t *testing.T) {
	t.Parallel()
	rules := compiled(t)
	used := map[string]bool{}
	files := token.NewFileSet()
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (name == "testdata" || name[0] == '.'):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(files, path, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, text := range textsOf(file) {
			for _, r := range rules {
				if found := r.find(text.kind, text.text); found != "" && !isExempt(text.text, used) {
					t.Errorf("%s: %q in %q: write %s instead", files.Position(text.at), found, short(text.text), r.instead)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for text := range exempt {
		if !used[text] {
			t.Errorf("no text contains %q any more: remove the exception", text)
		}
	}
}

// What people read is in plain English, too.
func TestWordingOfPages(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for name, text := range pages(t) {
		texts[name] = prose(text)
	}
	for _, pattern := range []string{"mockserver/console/templates/*.html", "contract/report/html/*.html"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no file is named like %s, error %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = inTemplate.ReplaceAllString(string(text), " ")
		}
	}
	for name, text := range texts {
		for _, r := range compiled(t) {
			if found := r.find(shown, text); found != "" {
				t.Errorf("%s: %q: write %s instead", name, found, r.instead)
			}
		}
	}
}

// inTemplate matches what a reader does not see of a template.
var inTemplate = regexp.MustCompile(`\{\{[^}]*\}\}|<[^>]*>`)

// Each form finds its example, and leaves alone what should be written instead.
func TestWordingsFindTheirExamples(t *testing.T) {
	t.Parallel()
	for _, r := range compiled(t) {
		if r.find(r.in, r.bad) == "" {
			t.Errorf("%s does not find %q", r.wording.form, r.bad)
		}
		if found := r.find(r.in, r.good); found != "" {
			t.Errorf("%s finds %q in %q", r.wording.form, found, r.good)
		}
	}
}

type compiledWording struct {
	wording
	form, except *regexp.Regexp
}

func compiled(t *testing.T) (list []compiledWording) {
	t.Helper()
	for _, w := range wordings() {
		c := compiledWording{wording: w, form: regexp.MustCompile(w.form)}
		if w.except != "" {
			c.except = regexp.MustCompile(w.except)
		}
		list = append(list, c)
	}
	return list
}

// find returns the words of a text that have the form, or nothing.
func (c *compiledWording) find(kind where, text string) string {
	if c.in&kind == 0 {
		return ""
	}
	if kind&docs != 0 && c.in&docs == 0 {
		_, text, _ = strings.Cut(text, " ") // the first word is the declaration's name
	}
	if c.except != nil {
		text = c.except.ReplaceAllLiteralString(text, "…")
	}
	return c.form.FindString(text)
}

type wordedText struct {
	kind where
	at   token.Pos
	text string
}

// textsOf returns the comments of a file, and its string literals that are messages.
func textsOf(file *ast.File) (list []wordedText) {
	documents := map[*ast.CommentGroup]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.FuncDecl:
			documents[n.Doc] = true
		case *ast.GenDecl:
			documents[n.Doc] = true
		case *ast.TypeSpec:
			documents[n.Doc] = true
		case *ast.ValueSpec:
			documents[n.Doc] = true
		case *ast.Field:
			documents[n.Doc] = true
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && len(strings.Fields(text)) >= 3 {
				list = append(list, wordedText{messages, n.Pos(), text})
			}
		}
		return true
	})
	for _, group := range file.Comments {
		kind := comments
		if documents[group] {
			kind |= docs
		}
		list = append(list, wordedText{kind, group.Pos(), strings.Join(strings.Fields(group.Text()), " ")})
	}
	return list
}

func isExempt(text string, used map[string]bool) bool {
	for part := range exempt {
		if strings.Contains(text, part) {
			used[part] = true
			return true
		}
	}
	return false
}

func short(text string) string {
	if runes := []rune(text); len(runes) > 120 {
		return string(runes[:120]) + "…"
	}
	return text
}
