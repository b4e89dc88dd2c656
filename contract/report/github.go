package report

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// maxAnnotations is the number of annotations of each level that GitHub shows for one step.
const maxAnnotations = 10

// annotation is a workflow command.
type annotation struct {
	level, file, title, message string
	line                        int
}

// annotations counts the written annotations by level.
type annotations struct {
	*bufio.Writer
	written, left map[string]int
}

// WriteGitHub writes the report as workflow commands, which GitHub shows as annotations of a pull request: one for each
// fingerprint, the worst first, as many as it shows. It stands at the exchange in the recording; or, where the
// recording is not on disk, in the document if that is a user's own. What is left over is counted in one line;
// others say how many faults were injected, and which engines judged; WriteSummary has room for more.
func (r *Report) WriteGitHub(w io.Writer) error {
	a := &annotations{bufio.NewWriter(w), map[string]int{}, map[string]int{}}
	for _, g := range r.gates() {
		if g.Fails() {
			message := g.First()
			if more := g.More(); more > 0 {
				message += fmt.Sprintf("\nand %d more", more)
			}
			a.write(annotation{level: levelError, title: "understudy", message: message})
		}
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Accepted {
			continue
		}
		n := r.annotationPlace(g)
		n.level, n.message = r.annotationLevel(g), r.annotationText(g)
		n.title = strings.TrimSpace(plain(g.label() + " " + g.Rule + " " + g.where() + "  " + g.times()))
		a.write(n)
	}
	if r.Exchanges.Injected > 0 {
		fmt.Fprintln(a, LogText("understudy: "+r.Exchanges.injectedInWords()))
	}
	if engines := r.enginesInWords(); engines != "" {
		fmt.Fprintln(a, LogText("understudy: "+engines))
	}
	a.rest(r.Outcome() + "; findings: " + r.CountFindings(""))
	return a.Flush()
}

// annotationPlace returns an annotation at a file that the reader has.
func (r *Report) annotationPlace(g *Group) annotation {
	switch line := r.Shown[g.Exchange]; {
	case line.OnDisk:
		return annotation{file: filepath.ToSlash(line.File), line: line.Line}
	case r.isOwn(g.Spec):
		return annotation{file: r.specURI(g.Spec), line: g.Spec.Line}
	}
	return annotation{}
}

func (r *Report) annotationText(g *Group) string {
	message := g.about()
	chain := g.chain()
	for n, number := range chain {
		switch isLeftOut := len(chain) > maxListed && n >= maxListed-1 && number != g.Exchange; {
		case !isLeftOut:
			message = append(message, plain(r.line(number)))
		case n == maxListed-1:
			message = append(message, "…")
		}
	}
	for _, more := range []string{r.also(g, maxListed), r.says(&g.Finding), r.next(g)} {
		if more != "" {
			message = append(message, plain(more))
		}
	}
	return strings.Join(message, "\n")
}

// annotationLevel returns error for what breaks the check, and for nothing else.
func (r *Report) annotationLevel(g *Group) string {
	switch {
	case r.Breaks(&g.Finding):
		return "error"
	case g.Verdict == Inconclusive || g.Severity == Notice:
		return "notice"
	}
	return "warning"
}

func (a *annotations) write(n annotation) {
	if a.written[n.level] == maxAnnotations {
		a.left[n.level]++
		return
	}
	a.written[n.level]++
	var properties []string
	if n.file != "" {
		properties = append(properties, "file="+escapeProperty(plain(n.file)))
		if n.line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d", n.line))
		}
	}
	properties = append(properties, "title="+escapeProperty(short(n.title, 200)))
	fmt.Fprintf(a, "::%s %s::%s\n", n.level, strings.Join(properties, ","), escapeData(short(n.message, 2000)))
}

// rest writes the outcome of the check, and what was left out.
func (a *annotations) rest(outcome string) {
	var list []string
	for _, level := range []string{"error", "warning", "notice"} {
		if n := a.left[level]; n > 0 {
			list = append(list, count(n, level))
		}
	}
	line := "understudy: " + plain(outcome)
	if len(list) > 0 {
		line += "; not annotated: " + strings.Join(list, ", ")
	}
	fmt.Fprintln(a, LogText(line))
}

// escapeData and escapeProperty keep a text from ending a workflow command, or from beginning another one.
func escapeData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func escapeProperty(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
