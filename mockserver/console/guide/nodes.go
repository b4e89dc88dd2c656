package guide

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// ids gives headings the ids that GitHub gives them.
type ids struct{ taken map[string]bool }

var notInID = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

func (i *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.ReplaceAll(notInID.ReplaceAllString(strings.ToLower(string(value)), ""), " ", "-")
	unique := id
	for n := 1; i.taken[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", id, n)
	}
	i.taken[unique] = true
	return []byte(unique)
}

func (i *ids) Put(value []byte) { i.taken[string(value)] = true }

// repositoryFile is a text that was a link to a file which the console does not show.
type repositoryFile struct {
	ast.BaseInline
	path string
}

var kindRepositoryFile = ast.NewNodeKind("RepositoryFile")

func (*repositoryFile) Kind() ast.NodeKind { return kindRepositoryFile }

func (n *repositoryFile) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"path": n.path}, nil)
}

// nodes writes what the console shows otherwise than goldmark would.
type nodes struct{}

func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, writeCode)
	r.Register(ast.KindImage, writeImage)
	r.Register(extensionast.KindTable, writeTable)
	r.Register(kindRepositoryFile, writeFile)
}

// writeCode writes a block of code, which the keyboard can scroll.
func writeCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := template.HTMLEscapeString(string(n.(*ast.FencedCodeBlock).Language(source)))
	_, err := fmt.Fprintf(w, "<pre tabindex=\"0\"><code class=\"language-%s\">%s</code></pre>\n", language,
		highlight(language, lines(n, source)))
	return ast.WalkSkipChildren, err
}

// writeImage writes the text of an image only: no page fetches anything.
func writeImage(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkContinue, nil
}

// writeTable writes a table into a box, which the keyboard can scroll where the table is wider than the page.
func writeTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	text := "</table></div>\n"
	if entering {
		text = "<div class=\"table\" tabindex=\"0\"><table>\n"
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}

func writeFile(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	text := "</span>"
	if entering {
		text = `<span class="file" title="` + string(util.EscapeHTML([]byte(n.(*repositoryFile).path))) + `">`
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}
