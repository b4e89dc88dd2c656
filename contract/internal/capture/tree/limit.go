package tree

import (
	"bytes"
	"regexp"
)

// ExceedsNodeLimit reports whether YAML has more values than may be made of it. It does not parse: what it costs must
// not depend on what is in it. Text in quotes and in blocks is left out, so that bodies may be as they like.
func ExceedsNodeLimit(raw []byte) bool {
	var s scan
	for line := range bytes.Lines(raw) {
		if s.line(line); s.count > maxNodes {
			return true
		}
	}
	return false
}

type scan struct {
	count int
	quote byte // the quote that a text is in, 0 outside
	block int  // 1 + the column that the text of a block is indented deeper than, 0 outside
}

var blockHeader = regexp.MustCompile(`(^|[ \t])[|>][-+0-9]*[ \t]*(#.*)?\r?\n?$`)

func (s *scan) line(line []byte) {
	if s.quote == 0 {
		column, text := columnOf(line)
		if len(bytes.TrimSpace(text)) == 0 {
			return
		}
		if s.block > 0 && len(line)-len(bytes.TrimLeft(line, " ")) >= s.block {
			return
		}
		s.block = 0
		if blockHeader.Match(text) {
			s.block = column + 1
			if text[0] == '|' || text[0] == '>' {
				s.block = len(line) - len(bytes.TrimLeft(line, " ")) + 1
			}
		}
		s.count++
	}
	s.tokens(line)
}

// columnOf returns the column of the key of a line, behind the dashes of the lists that it opens, and the text from
// there.
func columnOf(line []byte) (int, []byte) {
	text := bytes.TrimLeft(line, " ")
	for len(text) > 1 && text[0] == '-' && text[1] == ' ' {
		text = bytes.TrimLeft(text[1:], " ")
	}
	return len(line) - len(text), text
}

func (s *scan) tokens(line []byte) {
	fresh := true // a quote would begin a text here
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case s.quote == '"' && c == '\\':
			i++
		case s.quote == c:
			s.quote = 0
		case s.quote != 0:
		case fresh && (c == '"' || c == '\''):
			s.quote = c
		case c == '[', c == '{', c == ',':
			s.count++
			fresh = true
		case c == ':', c == '-', c == '?':
			s.count += b2i(i+1 == len(line) || line[i+1] == ' ')
			fresh = true
		case c != ' ' && c != '\t':
			fresh = false
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
