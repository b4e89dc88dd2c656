package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// texts holds the lives. What is in the folder lives keeps all rules; each file of violations breaks the rule that it
// is named after, where an exclamation mark stands.
//
//go:embed lives/*.txt violations/*.txt
var texts embed.FS

// life is a sequence of exchanges of one client that uses things of its own, from their creation to their deletion.
type life struct {
	name  string
	lane  string // of a life with a violation: the one in which it takes part, any if it is empty
	rule  string // that it violates, if it does
	steps []step

	isSingle bool // whether an account lives through it once at most
}

// step is an exchange of a life.
type step struct {
	template
	operation  string // method and path, for the manifest
	isViolated bool   // whether the rule is violated here
	slow       int    // milliseconds that it takes, if they are many
}

// lane holds the lives of a file. An account lives through one of them at a time, since they may show the same lists.
type lane struct {
	name  string
	lives []*life
}

// library holds all lives: those without a violation by lane, and those with one by rule.
type library struct {
	lanes      []lane
	violations map[string][]*life
}

// readLives compiles all lives for a format.
func readLives(format string) (*library, error) {
	all := &library{violations: map[string][]*life{}}
	var problems []error
	files, err := fs.Glob(texts, "*/*.txt")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := texts.ReadFile(file)
		if err != nil {
			return nil, err
		}
		list, err := parseLives(string(text), format)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", file, err))
		}
		name := strings.TrimSuffix(path.Base(file), ".txt")
		if path.Dir(file) == "violations" {
			for _, l := range list {
				l.rule = name
				if before, after, ok := strings.Cut(l.name, ": "); ok {
					l.lane, l.isSingle = strings.CutSuffix(before, " once")
					l.name = after
				}
			}
			all.violations[name] = list
		} else {
			all.lanes = append(all.lanes, lane{name, list})
		}
	}
	return all, errors.Join(problems...)
}

// parseLives reads a file of lives: a line "== name" begins one; a request is a line of method, interface, path and
// body, with ! before it if the rule is violated there, and @ and a key in place of the usual one; "> Name: value" is a
// header of the request, "=> status body" the response, "< Name: value" one of its headers, and "~ 5000" how many
// milliseconds it takes.
func parseLives(text, format string) (list []*life, err error) {
	var d *draft
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		isNext := strings.HasPrefix(line, "== ") || line != "" && !strings.ContainsAny(line[:1], "#<>=~")
		if isNext && d != nil {
			err = errors.Join(err, d.end(list[len(list)-1], format))
			d = nil
		}
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "== "):
			list = append(list, &life{name: line[3:]})
		case isNext:
			d = newDraft(line)
		case d == nil:
			err = errors.Join(err, fmt.Errorf("%.40q: want a request before", line))
		default:
			err = errors.Join(err, d.add(line))
		}
	}
	if d != nil {
		err = errors.Join(err, d.end(list[len(list)-1], format))
	}
	return list, err
}
