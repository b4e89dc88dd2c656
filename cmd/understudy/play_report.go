package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs/source"
)

// writePlayed writes what has become of stories.
func writePlayed(w io.Writer, results []story.Result, format string) error {
	switch format {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(map[string]any{"stories": results})
	case "junit":
		return writePlayedJUnit(w, results)
	case "github":
		return writePlayedGitHub(w, results)
	}
	log := report.LogWriter(w)
	for _, r := range results {
		if _, err := io.WriteString(log, playedText(r)); err != nil {
			return err
		}
	}
	return nil
}

// playedText returns what has become of a story, for people.
func playedText(r story.Result) string {
	var b strings.Builder
	switch {
	case r.Error != "":
		fmt.Fprintf(&b, "%s: could not be played\n%s", r.File, indented(r.Error))
	case r.Difference != nil:
		fmt.Fprintf(&b, "%s: answered otherwise, after %s\n%s", r.File, stepsOf(r), indented(differenceText(r)))
	default:
		fmt.Fprintf(&b, "%s: ok, %s\n", r.File, stepsOf(r))
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "  %s:%d: left out: %s: %s\n", r.File, s.Line, s.Step, s.Reason)
	}
	return b.String()
}

func stepsOf(r story.Result) string {
	if r.Played == r.Steps {
		return fmt.Sprintf("%d steps", r.Steps)
	}
	return fmt.Sprintf("%d of %d steps", r.Played, r.Steps)
}

func differenceText(r story.Result) string {
	d := r.Difference
	text := fmt.Sprintf("%s:%d: %s\n%s\n", r.File, d.Line, d.Step, d.Reason)
	if d.Request != "" {
		text += fmt.Sprintf("%s → %d\n", d.Request, d.Status)
	}
	if d.Answer != "" {
		text += d.Answer + "\n"
	}
	return text
}

func indented(text string) string {
	text = strings.TrimRight(text, "\n")
	return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writePlayedJUnit writes a test case for each story.
func writePlayedJUnit(w io.Writer, results []story.Result) error {
	suite := junitSuite{Name: "understudy play", Tests: len(results)}
	for _, r := range results {
		one := junitCase{Name: r.File, Class: "understudy.play"}
		switch {
		case r.Error != "":
			suite.Errors++
			one.Error = &junitMessage{"could not be played", r.Error}
		case r.Difference != nil:
			suite.Failures++
			one.Failure = &junitMessage{
				fmt.Sprintf("line %d: %s", r.Difference.Line, r.Difference.Step), differenceText(r),
			}
		}
		suite.Cases = append(suite.Cases, one)
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// toCommand writes a text in a workflow command of GitHub Actions.
var toCommand = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

// toProperty writes a text as a property of such a command.
var toProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")

// writePlayedGitHub writes an annotation for each story that was answered otherwise, or could not be played.
func writePlayedGitHub(w io.Writer, results []story.Result) error {
	var b strings.Builder
	for _, r := range results {
		switch {
		case r.Error != "":
			fmt.Fprintf(&b, "::error file=%s::%s\n", toProperty.Replace(r.File), toCommand.Replace(r.Error))
		case r.Difference != nil:
			fmt.Fprintf(&b, "::error file=%s,line=%d,title=%s::%s\n", toProperty.Replace(r.File), r.Difference.Line,
				toProperty.Replace(r.Difference.Step), toCommand.Replace(differenceText(r)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

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
