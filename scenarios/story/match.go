package story

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"svc.example/understudy/internal/fold"
	"svc.example/understudy/internal/jsontree"
)

const (
	anything = "*"   // fits every value
	more     = "..." // last in a list: fits any number of further elements
)

// match compares what is wanted with what the answer has of it.
func match(ts *testscript.TestScript, p *player, args []string) {
	got := string(p.answer(ts))
	whole := jsontree.Parse(got)
	if !whole.Exists() {
		ts.Fatalf("the response is not valid JSON: %q", p.shown())
	}
	want := args[0]
	if !inline(want) {
		want = ts.ReadFile(args[0])
	}
	empty, part := strings.TrimSpace(want) == "", jsontree.Parse(want)
	if !empty && !part.Exists() {
		ts.Fatalf("%s is not valid JSON", args[0])
	}
	wanted, had := fold.JSON(want), fold.JSON(got)
	if !empty {
		had = fold.JSON(p.wantedPart(part, whole))
	}
	if p.updates != nil && !inline(args[0]) {
		p.updates[args[0]] = had + "\n"
	} else if wanted != had || empty {
		if clean := string(p.shownBody()); !empty && p.redacts {
			had = fold.JSON(p.wantedPart(part, jsontree.Parse(clean)))
		} else if p.redacts {
			had = fold.JSON(clean)
		}
		ts.Fatalf("%s", diff.Diff("want", []byte(wanted+"\n"), "answer", []byte(had+"\n")))
	}
}

// has reports whether the last answer has all that is wanted.
func (p *player) has(want string) bool {
	part, got := jsontree.Parse(want), jsontree.Parse(p.body)
	return part.Exists() && got.Exists() && fold.JSON(want) == fold.JSON(p.wantedPart(part, got))
}

// wantedPart returns the wanted part of the answer, in the words of the story where they match.
func (p *player) wantedPart(want, got jsontree.Value) string {
	switch {
	case want.IsString() && p.matchText(want.Text(), got):
		return want.Raw()
	case want.IsObject() && got.IsObject():
		return p.members(want, got)
	case want.IsArray() && got.IsArray():
		return p.elements(slices.Collect(want.Each), slices.Collect(got.Each))
	}
	return got.Raw()
}

// matchText compares text. A captured name stands for a value of any type.
func (p *player) matchText(want string, got jsontree.Value) bool {
	filled := p.replaceVariables(want)
	return want == anything || filled == got.Text() && (got.IsString() || filled != want)
}

func (p *player) members(want, got jsontree.Value) string {
	var kept []string
	for member := range want.Each {
		if actual := got.Get(member.Name()); actual.Exists() {
			kept = append(kept, member.RawName()+":"+p.wantedPart(member, actual))
		}
	}
	return "{" + strings.Join(kept, ",") + "}"
}

func (p *player) elements(want, got []jsontree.Value) string {
	var kept []string
	open := len(want) > 0 && want[len(want)-1].Text() == more
	for i, actual := range got {
		switch {
		case open && i >= len(want)-1:
		case i < len(want):
			kept = append(kept, p.wantedPart(want[i], actual))
		default:
			kept = append(kept, actual.Raw())
		}
	}
	if open {
		kept = append(kept, want[len(want)-1].Raw())
	}
	return "[" + strings.Join(kept, ",") + "]"
}

// rewrite puts new contents into the archive that a story is.
func rewrite(file string, updates map[string]string) error {
	if len(updates) == 0 {
		return nil
	}
	story, err := txtar.ParseFile(file)
	if err != nil {
		return err
	}
	for name, content := range updates {
		i := slices.IndexFunc(story.Files, func(f txtar.File) bool { return f.Name == name })
		if i >= 0 && !bytes.Equal(story.Files[i].Data, []byte(content)) {
			story.Files[i].Data = []byte(content)
		}
	}
	return os.WriteFile(file, txtar.Format(story), 0o600)
}
