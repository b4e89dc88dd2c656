package main_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	terminalPage  = "../../docs/guide/own-document.md"
	terminalImage = "../../docs/guide/own-document.svg"
)

// The image of a terminal shows what a page shows, which other tests type. UPDATE=1 draws it anew.
func TestTerminalImage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(terminalPage)
	if err != nil {
		t.Fatal(err)
	}
	got := terminal(terminalLines(string(page)))
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(terminalImage, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(terminalImage)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what %s shows, %v: UPDATE=1 go test ./cmd/understudy -run TerminalImage", terminalImage,
			terminalPage, err)
	}
	if n := bytes.Count(got, []byte("<text")); n < 10 {
		t.Errorf("the image has %d lines", n)
	}
}

// terminalLines returns the commands of a page's first two blocks, after $ signs, and what they answer.
func terminalLines(page string) (lines []string) {
	for _, kind := range []string{"sh serve", "sh run"} {
		_, rest, _ := strings.Cut(page, "```"+kind+"\n")
		block, _, _ := strings.Cut(rest, "```")
		for line := range strings.Lines(block) {
			line = strings.TrimRight(line, "\n")
			if answer, isAnswer := strings.CutPrefix(line, "#> "); isAnswer {
				lines = append(lines, answer)
			} else if line != "" {
				lines = append(lines, "$ "+line)
			}
		}
	}
	return lines
}

// terminal draws lines one after another: commands as they are typed, and answers a moment later.
func terminal(lines []string) []byte {
	const width, height, left, pause = 760, 18, 12, 0.7
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="monospace" font-size="13">`+"\n",
		width, height*(len(lines)+2))
	b.WriteString(`<rect width="100%" height="100%" rx="6" fill="#1b1f24"/>` + "\n")
	for i, line := range lines {
		color := "#9ecbff"
		if strings.HasPrefix(line, "$ ") {
			color = "#e6edf3"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" xml:space="preserve" opacity="0">`, left, height*(i+2)-6, color)
		_ = xml.EscapeText(&b, []byte(line))
		fmt.Fprintf(&b, `<set attributeName="opacity" to="1" begin="%.1fs"/></text>`+"\n", float64(i)*pause)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
