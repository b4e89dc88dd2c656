package guide

import (
	"html"
	"regexp"
	"strings"
	"sync"
)

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
