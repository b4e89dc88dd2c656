package guide_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/console/guide"
)

// TestNothingOfAPageRuns renders what a page could do to a browser, were it not read as Markdown without HTML.
func TestNothingOfAPageRuns(t *testing.T) {
	t.Parallel()
	const block = `<pre tabindex="0"><code class="language-`
	for source, want := range map[string]string{
		`<script>alert(1)</script>`:       "<!-- raw HTML omitted -->\n",
		`a <b onclick="alert(1)">c</b>`:   "<p>a <!-- raw HTML omitted -->c<!-- raw HTML omitted --></p>\n",
		`[a](javascript:alert(1))`:        "<p><a href=\"\">a</a></p>\n",
		`[a](JaVaScRiPt:alert(1))`:        "<p><a href=\"\">a</a></p>\n",
		`<javascript:alert(1)>`:           "<p><a href=\"\">javascript:alert(1)</a></p>\n",
		`![a "b"](https://host.example/)`: "<p>a &quot;b&quot;</p>\n",
		`[a]("><b>)`:                      `<p><span class="file" title="docs/guide/&quot;&gt;&lt;b&gt;">a</span></p>` + "\n",
		"```\"><b>\n<b>\n```":             block + "&#34;&gt;&lt;b&gt;\">&lt;b&gt;\n</code></pre>\n",
		"```sh\n'<b>'\n```":               block + `sh"><span class="s">&#39;&lt;b&gt;&#39;</span>` + "\n</code></pre>\n",
		"    <b>":                         "<pre><code>&lt;b&gt;\n</code></pre>\n",
	} {
		if diff := cmp.Diff(want, string(guide.New("").Render(source))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}
}

func TestTablesAlignWithoutStyle(t *testing.T) {
	t.Parallel()
	got := string(guide.New("").Render("| a | b |\n|---|--:|\n| 1 | 2 |\n"))
	if !strings.Contains(got, `<td align="right">2</td>`) || strings.Contains(got, "style") ||
		!strings.HasPrefix(got, `<div class="table" tabindex="0"><table>`) || !strings.HasSuffix(got, "</table></div>\n") {
		t.Errorf("the table is %s", got)
	}
}

func TestHighlight(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, code, want string }{
		{"sh", "curl \"$A\" # all\n#> {}", `curl s(&#34;$A&#34;) c(# all)` + "\no(#&gt; {})"},
		{"sh", "for X in 'a b'; do echo $X; done", `k(for) X k(in) s(&#39;a b&#39;); k(do) echo k($X); k(done)`},
		{"json", `{"a": "b", "c": [1.5, true]}`, `{k(&#34;a&#34;): s(&#34;b&#34;), k(&#34;c&#34;): [n(1.5), k(true)]}`},
		{"yaml", "a:\n- b: {c: 'd', e: f} # g", "k(a):\n- k(b): {k(c): s(&#39;d&#39;), k(e): f} c(# g)"},
		{"go", "x := `a` // b", "x := s(`a`) c(// b)"},
		{"python", "x = 'a' + \"\"\"b\nc\"\"\"", "x = s(&#39;a&#39;) + s(&#34;&#34;&#34;b\nc&#34;&#34;&#34;)"},
		{"text", "if 'a' < 1", "if &#39;a&#39; &lt; 1"},
	} {
		got := regexp.MustCompile(`<span class="(\w)">(.*?)</span>`).ReplaceAllString(
			strings.ReplaceAll(guide.Highlight(tt.language, tt.code), "\n", "\x00"), "$1($2)")
		if diff := cmp.Diff(tt.want, strings.ReplaceAll(got, "\x00", "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.language, diff)
		}
	}
}

// FuzzHighlight wants nothing of the code to be changed or lost, in any language.
func FuzzHighlight(f *testing.F) {
	f.Add("a: 'b' # c\n\"d\": e\n#> f\n`g`")
	f.Add("// a\n/* \n*/ $b ${c} \"\"\"")
	f.Fuzz(func(t *testing.T, code string) {
		for _, language := range append(guide.Languages(), "none") {
			got := html.UnescapeString(regexp.MustCompile(`<span class="[cknos]">|</span>`).ReplaceAllString(
				guide.Highlight(language, code), ""))
			if got != html.UnescapeString(html.EscapeString(code)) {
				t.Errorf("%s: %q becomes %q", language, code, got)
			}
		}
	})
}

// The languages of the pages are known, but for plain text.
func TestLanguagesOfThePages(t *testing.T) {
	t.Parallel()
	language := regexp.MustCompile(`class="language-([^"]*)"`)
	for slug, page := range all(t, guide.New("")) {
		for _, m := range language.FindAllStringSubmatch(string(page.Body), -1) {
			if m[1] != "text" && !slices.Contains(guide.Languages(), m[1]) {
				t.Errorf("%s has code in %q, which is not highlighted", slug, m[1])
			}
		}
	}
}
