package dig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

const (
	// The YAML library spends about a kilobyte on each node, so a file is refused by the number of its marks before it
	// is parsed: some hundred times what a long definition has (assumed).
	maxMarks        = 200_000
	maxProjectMarks = 1_000_000

	maxDepth = 100
)

// budget bounds the cost of all definitions of a project together: marks of their sources, bytes of JSON once aliases
// are resolved, and tasks of the plans that are kept.
type budget struct {
	marks, tasks int
	bytes        int64
}

func newBudget(limits Limits) *budget {
	return &budget{marks: maxProjectMarks, tasks: 200 * MaxTasks, bytes: limits.Expanded}
}

// readDocument parses one .dig file into a tree in which aliases are followed and merges done.
func readDocument(file string, source []byte, left *budget) (*value, error) {
	if err := checkText(file, source); err != nil {
		return nil, err
	}
	if err := checkMarks(file, source, left); err != nil {
		return nil, err
	}
	loader, err := yaml.NewLoader(bytes.NewReader(source), yaml.WithPlugin(depthLimit{}))
	if err != nil {
		return nil, err
	}
	var document, second yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil, failf(file, 1, "the definition is empty: it must be a mapping with the tasks of the workflow")
	case err != nil:
		return nil, yamlError(file, err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, failf(file, second.Line, "a second YAML document: a workflow file has exactly one")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(file, err)
	}
	return treeOf(file, &document)
}

// depthLimit bounds how deep the parser goes. It lets all aliases pass: they are followed, and counted, elsewhere.
type depthLimit struct{}

// CheckDepth is called by the parser for every level it enters.
func (depthLimit) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > maxDepth {
		return fmt.Errorf("nested more than %d levels deep", maxDepth)
	}
	return nil
}

// CheckAlias is called for every alias that the library itself expands.
func (depthLimit) CheckAlias(int, int) error { return nil }

func checkText(file string, source []byte) error {
	if at := bytes.IndexByte(source, 0); at >= 0 {
		return failf(file, lineOf(source, at), "a NUL byte: a workflow file is UTF-8 text")
	}
	if utf8.Valid(source) {
		return nil
	}
	at := 0
	for at < len(source) {
		r, size := utf8.DecodeRune(source[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return failf(file, lineOf(source, at), "not valid UTF-8: save the file as UTF-8 text")
}

func lineOf(source []byte, at int) int {
	return 1 + bytes.Count(source[:at], []byte{'\n'})
}

// checkMarks counts every byte that can begin a further node or token: there are never many more of them than marks.
// Text in blocks counts too, since telling it apart takes the parser.
func checkMarks(file string, source []byte, left *budget) error {
	marks := 0
	for _, b := range source {
		switch b {
		case ',', ':', '[', '{', '"', '\'', '&', '*', '!', '\n', '\r',
			0x85, 0xa8, 0xa9: // the last bytes of further ends of a line in YAML 1.1
			marks++
		}
	}
	if left.marks -= marks; marks > maxMarks {
		return failf(file, 0, "the definition is too long: it has %d lines and punctuation marks, at most %d are allowed",
			marks, maxMarks)
	}
	if left.marks < 0 {
		return failf(file, 0, "the workflow files of the project are too long together: they have more than %d lines "+
			"and punctuation marks", maxProjectMarks)
	}
	return nil
}

func yamlError(file string, err error) error {
	var located *yaml.LoadError
	if !errors.As(err, &located) {
		return failf(file, 0, "not valid YAML: %v", err)
	}
	reason := located.Message
	if located.ContextMsg != "" {
		reason += " " + located.ContextMsg
	}
	return failf(file, located.Mark.Line, "not valid YAML: %s", reason)
}
