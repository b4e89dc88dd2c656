package guide

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"path"
	"regexp"
	"slices"
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
	each(document, func(n ast.Node, entering bool) {
		switch n := n.(type) {
		case *ast.Heading:
			if id := idOf(n); entering && (n.Level == 2 || n.Level == 3) {
				headings = append(headings, Heading{n.Level, plain(n, source), id, g.address(page.Slug, id)})
			}
		case *ast.Link:
			if entering {
				links = append(links, n)
			}
		}
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
	isIt := func(p docs.Page) bool { return p.Path == file }
	if at := slices.IndexFunc(docs.Pages(), isIt); at >= 0 && err == nil {
		link.Destination = []byte(g.address(docs.Pages()[at].Slug, address.Fragment))
		return
	}
	parent := link.Parent()
	add := func(n ast.Node) { parent.InsertBefore(parent, link, n) }
	markup := func(text string) ast.Node {
		n := ast.NewString([]byte(text))
		n.SetCode(true) // it is written as it is
		return n
	}
	add(markup(`<span class="file" title="` + string(util.EscapeHTML([]byte(path.Join("docs", file)))) + `">`))
	for child := link.FirstChild(); child != nil; child = link.FirstChild() {
		add(child)
	}
	add(markup("</span>"))
	parent.RemoveChild(parent, link)
}

// each calls a function for a node and all below it, before and after what is within.
func each(n ast.Node, visit func(n ast.Node, entering bool)) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		visit(n, entering)
		return ast.WalkContinue, nil
	})
}

func idOf(n *ast.Heading) string {
	id, _ := n.AttributeString("id")
	bytes, _ := id.([]byte)
	return string(bytes)
}

// plain returns the text below a node, without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	each(n, func(n ast.Node, entering bool) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(util.UnescapePunctuations(n.Value(source)))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		}
		if !entering && n.Type() == ast.TypeBlock || n.Kind() == extensionast.KindTableCell {
			b.WriteByte(' ') // or the words of neighbours would become one
		}
	})
	return strings.TrimSpace(b.String())
}

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

// nodes writes what the console shows otherwise than goldmark would.
type nodes struct{}

func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, writeCode)
	r.Register(ast.KindImage, writeImage)
	r.Register(extensionast.KindTable, writeTable)
}

// writeCode writes a block of code, which the keyboard can scroll.
func writeCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := template.HTMLEscapeString(string(n.(*ast.FencedCodeBlock).Language(source)))
	_, err := fmt.Fprintf(w, "<pre tabindex=\"0\"><code class=\"language-%s\">%s</code></pre>\n", language,
		highlight(language, string(n.Lines().Value(source))))
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

// highlight returns a block of code as HTML in which comments have the class c, strings s, numbers n, keywords and the
// names of members k, and what a command prints o. These are the classes of the evidence in reports. A language that it
// does not know stays as it is.
//
// A regular expression for each language suffices for the examples of a manual. Chroma, the usual library, would add
// 4.4 MB to the binary, and reads 250 languages whenever the program starts.
func highlight(language, code string) string {
	expression := languages()[language]
	if expression == nil {
		return html.EscapeString(code)
	}
	var b strings.Builder
	end := 0
	for _, m := range expression.FindAllStringSubmatchIndex(code, -1) {
		for group, class := range expression.SubexpNames() {
			if from, to := m[2*group], m[2*group+1]; class != "" && from >= 0 {
				b.WriteString(html.EscapeString(code[end:from]))
				b.WriteString(`<span class="` + class + `">` + html.EscapeString(code[from:to]) + `</span>`)
				end = to
			}
		}
	}
	b.WriteString(html.EscapeString(code[end:]))
	return b.String()
}

// The parts of languages. Each group is named for its class.
const (
	outputPart = `^ *(?P<o>(?:#|//)>.*)$`
	hashPart   = `(?:^|[ \t;])(?P<c>#.*)$`
	slashPart  = `(?P<c>//.*$|/\*(?s:.*?)\*/)`
	quotedPart = `(?P<s>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`
	numberPart = `\b(?P<n>\d[\d_.]*)\b`
)

var languages = sync.OnceValue(func() map[string]*regexp.Regexp {
	of := func(parts ...string) *regexp.Regexp { return regexp.MustCompile(`(?m)` + strings.Join(parts, "|")) }
	words := func(list string) string { return `\b(?P<k>` + strings.ReplaceAll(list, " ", "|") + `)\b` }
	shell := of(outputPart, hashPart, `(?P<s>"(?:\\(?s:.)|[^"\\])*"|'[^']*')`, `(?P<k>\$\w+|\$\{[^}]*\})`,
		words("if then else elif fi for in do done while until case esac export trap eval"))
	script := of(outputPart, slashPart, "(?P<s>`(?:\\\\.|[^`\\\\])*`)", quotedPart, numberPart,
		words("import from export const let var function return async await if else for of in while new try catch "+
			"finally throw class extends null undefined true false"))
	java := of(outputPart, slashPart, quotedPart, numberPart,
		words("package import static public private protected final class record interface extends implements throws "+
			"throw new return void int long boolean var if else for while try catch finally null true false "+
			"pipeline agent stages stage steps environment post always def"))
	return map[string]*regexp.Regexp{
		"sh": shell, "bash": shell, "js": script, "java": java, "groovy": java,
		"go": of(outputPart, slashPart, "(?P<s>`[^`]*`)", quotedPart, numberPart,
			words("package import func return var const type struct map chan interface if else for range switch case "+
				"default go defer select nil true false")),
		"python": of(outputPart, hashPart, `(?P<s>"""(?s:.*?)""")`, quotedPart, numberPart,
			words("import from as def return class with if elif else for in while try except finally raise assert yield "+
				"lambda not and or is None True False")),
		"ruby": of(outputPart, hashPart, quotedPart, numberPart,
			words("require require_relative def end class module return if elsif else unless do while until begin rescue "+
				"ensure raise yield self nil true false")),
		"powershell": of(outputPart, hashPart, `(?P<s>"[^"]*"|'[^']*')`, `(?P<k>\$(?:\w+:)?\w+)`, numberPart,
			`\b(?i:(?P<k>param|function|if|else|elseif|foreach|for|while|do|until|try|catch|finally|throw|return))\b`),
		"yaml": of(hashPart, `^(?P<c>---)$`, `(?:^[ -]*|[{,] *)(?P<k>[\w.$/*-]+|"[^"\n]*"):(?:[ \n]|$)`, quotedPart),
		"json": of(`(?P<k>"(?:\\.|[^"\\\n])*")\s*:`, quotedPart, numberPart, words("true false null")),
	}
})
