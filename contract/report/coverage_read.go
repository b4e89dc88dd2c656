package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Covered holds the coverage of a report in its JSON form.
type Covered struct {
	Coverage Coverage `json:"coverage"`
	Rules    []Rule   `json:"rules"`
}

// maxReport is the largest size in bytes of a report that is read.
const maxReport = 256 << 20

// ReadCoverage reads a report in its JSON form and returns its coverage. Errors name the file and the place in
// it that is wrong.
func ReadCoverage(name string, r io.Reader) (c Covered, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxReport+1))
	switch {
	case err != nil:
		return c, fmt.Errorf("read %s: %w", name, err)
	case len(text) > maxReport:
		return c, fmt.Errorf("%s is longer than %d MiB, the limit for a report", name, maxReport>>20)
	case len(bytes.TrimSpace(text)) == 0:
		return c, fmt.Errorf("%s is empty: want a report, as check --format json writes it", name)
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return c, fmt.Errorf("%s is not JSON: %w", place(name, text, err), err)
	}
	if decoder.More() {
		return c, fmt.Errorf("%s:%d: unexpected data after the report", name, lineAt(text, decoder.InputOffset()))
	}
	if report, ok := value.(map[string]any); ok && report["version"] != json.Number(strconv.Itoa(Version)) &&
		report["exchanges"] != nil {
		return c, fmt.Errorf("%s is a report of version %v, but this program reads version %d: check the recording again",
			name, cmp.Or(report["version"], any(json.Number("1"))), Version)
	}
	if err := fits(value); err != nil {
		return c, fmt.Errorf("%s is not a report, as check --format json writes it: %w", name, err)
	}
	if report, ok := value.(map[string]any); ok && report["comparison"] != nil {
		return c, fmt.Errorf("%s is the report of a comparison, which covers no documents: want one of "+
			"check --format json", name)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// place returns a file's name with the line at which the decoder stopped, if the error has one.
func place(name string, text []byte, err error) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("%s:%d", name, lineAt(text, syntax.Offset))
	}
	return fmt.Sprintf("%s:%d", name, lineAt(text, int64(len(text))))
}

func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(offset, int64(len(text)))], []byte("\n"))
}

// compiled is JSONSchema, ready for use. It refers to nothing outside.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "mem:///report.schema.json"
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(url string) (io.ReadCloser, error) { return nil, fmt.Errorf("%s is not loaded", url) }
	if err := c.AddResource(name, strings.NewReader(JSONSchema)); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// fits validates a value against the schema. Its error lists the first few places where the value does not fit.
func fits(value any) error {
	const most = 5
	schema, err := compiled()
	if err != nil {
		return fmt.Errorf("compile the schema of a report: %w", err)
	}
	if isImmense(value) {
		return errors.New("it has a number that is out of range")
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](schema.Validate(value))
	if !ok {
		return nil
	}
	var reasons []string
	for _, leaf := range invalid.BasicOutput().Errors {
		if leaf.Error != "" && !strings.HasPrefix(leaf.Error, "doesn't validate with") {
			reasons = append(reasons, "at "+leaf.InstanceLocation+"/ "+leaf.Error)
		}
	}
	slices.Sort(reasons)
	reasons = slices.Compact(reasons)
	return errors.New(strings.Join(reasons[:min(len(reasons), most)], "; "))
}

// isImmense reports whether a value has a number whose exponent would keep the schema engine busy for very long.
func isImmense(value any) bool {
	const digits = 4
	switch v := value.(type) {
	case json.Number:
		_, exponent, _ := strings.Cut(strings.ToLower(v.String()), "e")
		return len(exponent) > digits
	case []any:
		return slices.ContainsFunc(v, isImmense)
	case map[string]any:
		for _, part := range v {
			if isImmense(part) {
				return true
			}
		}
	}
	return false
}
