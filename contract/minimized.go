package contract

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// indexTitle begins the list of what was written, by which an earlier one is known.
const indexTitle = "# The smallest recordings that show each finding\n"

// write writes what was found into a folder.
func (m *minimizer) write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("minimize: %w", err)
	}
	defer func() { _ = root.Close() }() // what was written is on the disk
	if there, err := root.ReadFile("README.md"); err == nil && !bytes.HasPrefix(there, []byte(indexTitle)) {
		return fmt.Errorf("minimize: %s/README.md was not written by understudy: choose another folder", dir)
	}
	files := map[string][]byte{"README.md": m.index()}
	for _, h := range m.hunts {
		if h.exchanges == nil {
			continue
		}
		var lines bytes.Buffer
		for _, e := range h.exchanges {
			if err := recording.Write(&lines, e); err != nil {
				return fmt.Errorf("minimize: %w", err)
			}
		}
		files[h.name()+".ndjson"], files[h.name()+".sh"] = lines.Bytes(), []byte(m.script(h))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := root.WriteFile(name, files[name], 0o600); err != nil {
			return fmt.Errorf("minimize: %w", err)
		}
	}
	return nil
}

func (h *reduction) name() string { return h.finding.Rule + "-" + h.finding.ID }

// script sends the request again that broke the rule.
func (m *minimizer) script(h *reduction) string {
	command, keys := report.Curl(h.judged)
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# %s: %s\n#\n", h.finding.Rule, oneLine(h.finding.Message))
	fmt.Fprintf(&b, "# This sends the request again that broke the rule. Showing the violation takes %d; check all "+
		"with\n#   %s\n",
		len(h.exchanges), m.check(h))
	if body := h.judged.Request.Body; body != nil && body.Truncated {
		b.WriteString("# The recording has only the beginning of its body.\n")
	}
	b.WriteString("set -eu\n")
	for _, key := range keys {
		fmt.Fprintf(&b, ": \"${%s:?set it to the secret that the recording had here}\"\n", key)
	}
	return b.String() + command + "\n"
}

// oneLine keeps a message from being more than a comment, or more than a cell of a table.
func oneLine(message string) string { return strings.Join(strings.Fields(message), " ") }

// check is the command that finds it again.
func (m *minimizer) check(h *reduction) string {
	c := m.checker.config
	words := []string{"understudy check"}
	for _, url := range m.basesOf(h.finding.Interface) {
		words = append(words, "--base "+report.ShellWord(string(h.finding.Interface)+"="+url))
	}
	if c.trust != specs.Public {
		words = append(words, "--trust "+string(c.trust))
	}
	if c.brand != "" && c.brand != specs.Neutral {
		words = append(words, "--brand "+report.ShellWord(string(c.brand)))
	}
	return strings.Join(append(words, h.name()+".ndjson"), " ")
}

// basesOf returns the given and the guessed base addresses of an interface, without the default ones.
func (m *minimizer) basesOf(iface specs.Interface) []string {
	list := slices.Clone(m.checker.config.bases[iface])
	for _, b := range m.bases {
		if b.Interface == iface && m.checker.config.guess && !slices.Contains(list, b.URL) {
			list = append(list, b.URL)
		}
	}
	return list
}

// index lists what is in the folder, and what could not be.
func (m *minimizer) index() []byte {
	var b strings.Builder
	b.WriteString(indexTitle + "\n" +
		"Each can be checked by itself. Its script says how, and sends the request again that broke the rule. Secrets\n" +
		"are replaced by `KEY` and the like.\n\n| finding | exchanges | recording | script |\n|---|---|---|---|\n")
	var hidden []string
	for _, h := range m.hunts {
		cell := strings.ReplaceAll(oneLine(h.finding.Message), "|", "\\|")
		if h.exchanges == nil {
			hidden = append(hidden, fmt.Sprintf("- `%s`, exchange %d: %s", h.finding.Rule, h.finding.Exchange, cell))
			continue
		}
		fmt.Fprintf(&b, "| `%s`: %s | %d | [%s.ndjson](%[4]s.ndjson) | [%[4]s.sh](%[4]s.sh) |\n",
			h.finding.Rule, cell, len(h.exchanges), h.name())
	}
	if len(hidden) > 0 {
		b.WriteString("\nNot shown by their evidence and the exchanges around it, once secrets are removed:\n\n" +
			strings.Join(hidden, "\n") + "\n")
	}
	if m.more > 0 {
		fmt.Fprintf(&b, "\nThere are %d more.\n", m.more)
	}
	return []byte(b.String())
}
