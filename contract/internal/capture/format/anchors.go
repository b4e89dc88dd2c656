package format

import (
	"bytes"
	"regexp"

	"go.yaml.in/yaml/v4"
)

// anchors are the parts of interactions that later ones refer to. Ruby writes a string once, as in &1 text, and says *1
// where the same one comes again, be it thousands of interactions later.
type anchors struct {
	kept map[string]anchor
	size int
}

type anchor struct {
	text []byte // an item of a list, not indented
	uses []string
}

// maxAnchors bounds the bytes of what is kept. What is beyond is not known where it is referred to.
const maxAnchors = 16 << 20

var (
	anchorMark = regexp.MustCompile(`(?m)(?:^|[\s\[{,])&[^\s,\[\]{}&]`)
	aliasMark  = regexp.MustCompile(`(?m)(?:^|[\s\[{,])\*([^\s,\[\]{}*]+)`)
)

// resolve puts before an item what it refers to, as items of the same list, and keeps what others may refer to. Bodies
// may look as if they did, which costs time and no more.
func (a *anchors) resolve(item []byte) []byte {
	if bytes.IndexByte(item, '*') >= 0 && len(a.kept) > 0 {
		item = a.precede(item)
	}
	if bytes.IndexByte(item, '&') >= 0 && anchorMark.Match(item) {
		a.keep(item)
	}
	return item
}

func (a *anchors) precede(item []byte) []byte {
	indent := bytes.Repeat([]byte{' '}, bytes.IndexByte(item, '-'))
	var prelude bytes.Buffer
	done := map[string]bool{}
	var need func(name string)
	need = func(name string) {
		kept, known := a.kept[name]
		if !known || done[name] {
			return
		}
		done[name] = true
		for _, other := range kept.uses {
			need(other)
		}
		for line := range bytes.Lines(kept.text) {
			prelude.Write(indent)
			prelude.Write(line)
		}
	}
	for _, m := range aliasMark.FindAllSubmatch(item, -1) {
		need(string(m[1]))
	}
	return append(prelude.Bytes(), item...)
}

func (a *anchors) keep(item []byte) {
	items, err := parseList(item)
	if err != nil {
		return // decoding will say so
	}
	a.walk(items[len(items)-1])
}

func (a *anchors) walk(n *yaml.Node) {
	if n.Anchor != "" && n.Kind != yaml.AliasNode {
		text, err := yaml.Marshal(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}})
		if err == nil && a.size+len(text) <= maxAnchors {
			if a.kept == nil {
				a.kept = map[string]anchor{}
			}
			a.size += len(text) - len(a.kept[n.Anchor].text)
			a.kept[n.Anchor] = anchor{text: text, uses: usesOf(n, nil)}
		}
	}
	for _, child := range n.Content {
		a.walk(child)
	}
}

// usesOf are the names of the anchors that a node refers to.
func usesOf(n *yaml.Node, names []string) []string {
	if n.Kind == yaml.AliasNode {
		return append(names, n.Value)
	}
	for _, child := range n.Content {
		names = usesOf(child, names)
	}
	return names
}
