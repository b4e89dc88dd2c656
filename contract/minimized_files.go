package contract

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/snippet"
)

// readmeTitle begins the list of the written files. An earlier list is recognised by it.
const readmeTitle = "# The smallest recordings that show each finding\n"

// write writes the reduced recordings into a folder.
func (m *minimizer) write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("minimize: %w", err)
	}
	defer func() { _ = root.Close() }() // what was written is on the disk
	if there, err := root.ReadFile("README.md"); err == nil && !bytes.HasPrefix(there, []byte(readmeTitle)) {
		return fmt.Errorf("minimize: %s/README.md was not written by understudy: choose another folder", dir)
	}
	files := map[string][]byte{"README.md": m.readme()}
	for _, h := range m.reductions {
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
	command, keys := snippet.Curl(h.judged)
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# %s: %s\n#\n", h.finding.Rule, oneLine(h.finding.Message))
	fmt.Fprintf(&b, "# This sends the request again that broke the rule. Showing the violation takes %d; check all "+
		"with\n#   %s\n",
		len(h.exchanges), m.checkCommand(h))
	b.WriteString("set -eu\n")
	for _, key := range keys {
		fmt.Fprintf(&b, ": \"${%s:?set it to the secret that the recording had here}\"\n", key)
	}
	return b.String() + command + "\n"
}

// oneLine keeps a message from being more than a comment, or more than a cell of a table.
func oneLine(message string) string { return strings.Join(strings.Fields(message), " ") }

// checkCommand returns the command that shows the finding again.
func (m *minimizer) checkCommand(h *reduction) string {
	c := m.checker.config
	words := []string{"understudy check"}
	for _, url := range m.basesOf(h.finding.Interface) {
		words = append(words, "--base "+snippet.ShellWord(string(h.finding.Interface)+"="+url))
	}
	if c.trust != specs.Public {
		words = append(words, "--trust "+string(c.trust))
	}
	if c.brand != "" && c.brand != specs.Neutral {
		words = append(words, "--brand "+snippet.ShellWord(string(c.brand)))
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

// readme lists the files of the folder, and the findings that could not be reproduced.
func (m *minimizer) readme() []byte {
	var b strings.Builder
	b.WriteString(readmeTitle + "\n" +
		"Each can be checked by itself. Its script says how, and sends the request again that broke the rule. Secrets\n" +
		"are replaced by `KEY` and the like.\n\n| finding | exchanges | recording | script |\n|---|---|---|---|\n")
	var notReproduced []string
	for _, h := range m.reductions {
		cell := strings.ReplaceAll(oneLine(h.finding.Message), "|", "\\|")
		if h.exchanges == nil {
			notReproduced = append(notReproduced,
				fmt.Sprintf("- `%s`, exchange %d: %s", h.finding.Rule, h.finding.Exchange, cell))
			continue
		}
		fmt.Fprintf(&b, "| `%s`: %s | %d | [%s.ndjson](%[4]s.ndjson) | [%[4]s.sh](%[4]s.sh) |\n",
			h.finding.Rule, cell, len(h.exchanges), h.name())
	}
	if len(notReproduced) > 0 {
		b.WriteString("\nNot shown by their evidence and the exchanges around it, once secrets are removed:\n\n" +
			strings.Join(notReproduced, "\n") + "\n")
	}
	if m.unlisted > 0 {
		fmt.Fprintf(&b, "\nThere are %d more.\n", m.unlisted)
	}
	return []byte(b.String())
}
