package sqlite

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

// functions returns the functions that SQLite lacks, and those of its own that take a time in the order of the product
// of their arguments' lengths, during which nothing could end them. Each call is charged before it does anything.
func functions(now time.Time, dialect string, charge func(steps int64) error) map[string]sqlite3.Functions {
	m := &matcher{charge: charge}
	like := &wildcards{charge: charge, parse: likeElements}
	glob := &wildcards{charge: charge, parse: globElements}
	list := map[string]sqlite3.Functions{
		"instr":   {2: strict(position)},
		"strpos":  {2: strict(position)},
		"replace": {3: strict(replace)},
		"trim":    {2: strict(trimmer(strings.TrimFunc))},
		"ltrim":   {2: strict(trimmer(strings.TrimLeftFunc))},
		"rtrim":   {2: strict(trimmer(strings.TrimRightFunc))},

		"now":            {0: func(sqlite3.Args) (any, error) { return formatTime(now), nil }},
		"from_unixtime":  {1: strict(fromUnixTime)},
		"unix_timestamp": {0: func(sqlite3.Args) (any, error) { return now.Unix(), nil }, 1: strict(unixTimestamp)},
		"to_unixtime":    {1: strict(toUnixTime)},

		"like":        {2: strict(like.match), 3: strict(like.match)},
		"glob":        {2: strict(glob.match)},
		"bool":        {1: strict(toBoolean(dialect))},
		"regexp_like": {2: strict(func(a sqlite3.Args) (any, error) { return m.match(a.Text(1), a.Text(0)) })},
		"regexp":      {2: strict(func(a sqlite3.Args) (any, error) { return m.match(a.Text(0), a.Text(1)) })},
	}
	for _, forms := range list {
		for n, call := range forms {
			forms[n] = charged(call, charge)
		}
	}
	return list
}

// charged makes a function cost as many steps as its arguments have bytes.
func charged(call func(sqlite3.Args) (any, error), charge func(int64) error) func(sqlite3.Args) (any, error) {
	return func(a sqlite3.Args) (any, error) {
		if err := charge(a.Bytes()); err != nil {
			return nil, err
		}
		return call(a)
	}
}

// toBoolean casts to a truth value. Hive takes any text for true that is not one of a few (assumed).
func toBoolean(dialect string) func(sqlite3.Args) (any, error) {
	return func(a sqlite3.Args) (any, error) {
		text := strings.ToLower(a.Text(0))
		number, err := strconv.ParseFloat(text, 64)
		switch {
		case err == nil:
			return truthValue(number != 0), nil
		case text == "true" || text == "t":
			return truthValue(true), nil
		case text == "false" || text == "f":
			return truthValue(false), nil
		case dialect == "hive":
			return truthValue(text != "" && text != "no" && text != "off"), nil
		}
		return nil, fmt.Errorf("cannot cast %q to boolean", a.Text(0))
	}
}

// truthValue returns SQLite's integer for a truth value.
func truthValue(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// strict makes a function that is null as soon as one argument is.
func strict(f func(sqlite3.Args) (any, error)) func(sqlite3.Args) (any, error) {
	return func(a sqlite3.Args) (any, error) {
		if a.Null() {
			return nil, nil
		}
		return f(a)
	}
}

// position counts characters from 1; 0 is nowhere.
func position(a sqlite3.Args) (any, error) {
	before, _, found := strings.Cut(a.Text(0), a.Text(1))
	if !found {
		return int64(0), nil
	}
	return int64(utf8.RuneCountInString(before) + 1), nil
}

func replace(a sqlite3.Args) (any, error) {
	s, part, by := a.Text(0), a.Text(1), a.Text(2)
	if part == "" {
		return s, nil
	}
	if len(s)+strings.Count(s, part)*(len(by)-len(part)) > maxLength {
		return nil, errTooLong
	}
	return strings.ReplaceAll(s, part, by), nil
}

func trimmer(trim func(string, func(rune) bool) string) func(sqlite3.Args) (any, error) {
	return func(a sqlite3.Args) (any, error) {
		set := a.Text(1)
		if len(set) > 1000 {
			return nil, errors.New("too many characters to trim")
		}
		characters := map[rune]bool{}
		for _, r := range set {
			characters[r] = true
		}
		return trim(a.Text(0), func(r rune) bool { return characters[r] }), nil
	}
}

func formatTime(t time.Time) string { return t.UTC().Format(time.DateTime) }

func fromUnixTime(a sqlite3.Args) (any, error) {
	seconds := a.Float(0)
	if math.Abs(seconds) > 1e11 {
		return nil, nil // beyond the year 5000, most likely milliseconds
	}
	return formatTime(time.Unix(int64(math.Floor(seconds)), 0)), nil
}

func unixTimestamp(a sqlite3.Args) (any, error) {
	if t, known := parseTime(a.Text(0)); known {
		return t.Unix(), nil
	}
	return nil, nil
}

func toUnixTime(a sqlite3.Args) (any, error) {
	if t, known := parseTime(a.Text(0)); known {
		return float64(t.UnixMilli()) / 1000, nil
	}
	return nil, nil
}

// parseTime takes dates, and times with or without a fraction, an offset, and a T in between.
func parseTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.DateTime, time.DateOnly, time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
