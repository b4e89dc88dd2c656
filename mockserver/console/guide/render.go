package guide

import (
	"bytes"
	"html/template"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"svc.example/understudy/docs"
)

// markdown reads and writes pages. Raw HTML is left out, and no attribute holds a style, which the console's
// Content-Security-Policy would refuse.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Strikethrough,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100))))
})

// parse reads a page. Its headings have the ids that GitHub gives them, as links between the pages need.
func parse(source []byte) ast.Node {
	ctx := parser.NewContext(parser.WithIDs(&ids{taken: map[string]bool{}}))
	return markdown().Parser().Parse(text.NewReader(source), parser.WithContext(ctx))
}

func (g *Guide) render(page docs.Page, source []byte) (template.HTML, []Heading) {
	document := parse(source)
	var headings []Heading
	var links []*ast.Link
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if id := idOf(n); n.Level == 2 || n.Level == 3 {
				headings = append(headings, Heading{n.Level, plain(n, source), id, g.address(page.Slug, id)})
			}
		case *ast.Link:
			links = append(links, n)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range links {
		g.redirect(page, link)
	}
	var b bytes.Buffer
	if err := markdown().Renderer().Render(&b, source, document); err != nil {
		panic(err) // a buffer takes everything
	}
	return template.HTML(b.String()), headings //nolint:gosec // written by goldmark without raw HTML, or escaped below
}

// redirect gives a link to a page the address of that page in the console. A link to any other file of the repository
// becomes text with the path of the file.
func (g *Guide) redirect(page docs.Page, link *ast.Link) {
	address, err := url.Parse(string(link.Destination))
	if err == nil && address.Scheme != "" {
		return
	}
	file := page.Path
	if err == nil && address.Path != "" {
		file = path.Join(path.Dir(page.Path), address.Path)
	}
	if slug, ok := g.bySource[file]; ok && err == nil {
		link.Destination = []byte(g.address(slug, address.Fragment))
		return
	}
	replacement := &repositoryFile{path: path.Join("docs", file)}
	for child := link.FirstChild(); child != nil; {
		next := child.NextSibling()
		replacement.AppendChild(replacement, child)
		child = next
	}
	link.Parent().ReplaceChild(link.Parent(), link, replacement)
}

func idOf(n *ast.Heading) string {
	id, _ := n.AttributeString("id")
	bytes, _ := id.([]byte)
	return string(bytes)
}

// plain returns the text below a node, without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(util.UnescapePunctuations(n.Value(source)))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.WriteString(lines(n, source))
			}
		}
		if !entering && n.Type() == ast.TypeBlock || n.Kind() == extensionast.KindTableCell {
			b.WriteByte(' ') // or the words of neighbours would become one
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// lines returns the text of a block of code.
func lines(n ast.Node, source []byte) string {
	return string(n.Lines().Value(source))
}
