package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"svc.example/understudy/specs/source"
)

// keyVariable is the variable of the environment that may hold the key to show in the place of the first one.
const keyVariable = "UNDERSTUDY_KEY"

// firstKey is the key that stories show until they say otherwise.
const firstKey = "1/admin"

// readKeys returns the keys to show, by those of stories: out of the environment, a file and flags.
func (f *playFlags) readKeys() (map[string]string, error) {
	keys := map[string]string{}
	if key := os.Getenv(keyVariable); key != "" {
		keys[firstKey] = key
	}
	lines := f.keys
	if f.keyFile != "" {
		text, err := source.ReadFile(f.keyFile)
		if err != nil {
			return nil, fmt.Errorf("--key-file: %w", err)
		}
		var more []string
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				more = append(more, line)
			}
		}
		lines = append(more, lines...)
	}
	for _, line := range lines {
		of, key, found := strings.Cut(line, "=")
		if !found {
			of, key = firstKey, line
		}
		if of == "" || key == "" || strings.ContainsAny(key, "\r\n") {
			return nil, errors.New("--key: want KEY for the key 1/admin of a story, or STORYKEY=KEY for another one")
		}
		keys[of] = key
	}
	return keys, nil
}
