package format

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
)

// last returns the interaction at the end of a cassette, or says what it lacks. Its last line may have no end, because
// the cassette was written by hand, or because it was cut. It counts if it can be read, and is left out if it
// is a beginning of something that does not matter.
func (c *cassette) last(raw record.Raw) (record.Raw, error) {
	end := bytes.LastIndexByte(raw.Bytes, '\n') + 1
	shorter := raw
	shorter.Bytes = raw.Bytes[:end]
	line := bytes.TrimSpace(raw.Bytes[end:])
	err := c.isWhole(raw)
	switch {
	case len(line) == 0:
		return shorter, c.isWhole(shorter)
	case err == nil && !isOpen(line):
		return raw, nil
	case err == nil:
		return c.inDoubt(raw, shorter), nil
	case mayHoldBody(line):
		return raw, err
	}
	if c.isWhole(shorter) != nil {
		return raw, err
	}
	return shorter, nil
}

// isOpen reports whether a line could go on: it does not end with what ends a text or a list.
func isOpen(line []byte) bool { return !strings.ContainsRune("\"'}]", rune(line[len(line)-1])) }

var bodyKeys = []string{"body:", "string:", "base64_string:", "parsed_body:", "content:", "form:"}

// mayHoldBody reports whether a line is, or may become, that of a body.
func mayHoldBody(line []byte) bool {
	for _, key := range bodyKeys {
		if text := string(line); strings.HasPrefix(text, key) || strings.HasPrefix(key, text) {
			return true
		}
	}
	return false
}

// inDoubt makes a record whose body may be cut, if it is the last line that holds it: what follows in plain text shows
// no end.
func (c *cassette) inDoubt(raw, shorter record.Raw) record.Raw {
	raw.Decoder = func(r record.Raw) (record.Item, error) {
		item, err := decodeInteraction(r)
		if err != nil || item.Response == nil || item.Response.Body == nil {
			return item, err
		}
		before, err := decodeInteraction(shorter)
		isSame := err == nil && before.Response != nil && before.Response.Body != nil &&
			bytes.Equal(before.Response.Body.Bytes, item.Response.Body.Bytes)
		if !isSame && item.ResponseDoubt == "" && record.ContentLength(item.Response.Headers, tree.Value{}) < 0 {
			item.ResponseDoubt = "the cassette ends within the body, without a line break: it may be cut off"
		}
		return item, nil
	}
	return raw
}

var wholeStatus = regexp.MustCompile(`^([1-9][0-9]{2}|0)$`)

// isWhole returns an error that says what an item at the end of a file lacks of what matters. In all formats what comes
// last does not matter, unless it is the body.
func (c *cassette) isWhole(raw record.Raw) error {
	if len(raw.Bytes) == 0 {
		return errors.New("its first line has no line break")
	}
	v, err := parseInteraction(raw.Bytes)
	if err != nil {
		return err
	}
	response := v.Get("response")
	// "200 OK", of which more may be missing
	isNamed := response.Get("status").Kind == tree.Scalar && response.Get("code").Kind == tree.Null
	if status := statusOf(response); !wholeStatus.MatchString(status.Text) || isNamed && c.outer == before {
		return errors.New("the status is missing")
	}
	if c.outer == after && !endsWithBody(v, response) {
		return errors.New("the body is missing")
	}
	if c.ruby && record.ParseTime(v.Get("recorded_at").Text).IsZero() {
		return errors.New("the time of recording is missing")
	}
	return nil
}

// lacksBody reports whether an interaction says nothing of the body of its response.
func lacksBody(interaction []byte) bool {
	v, err := parseInteraction(interaction)
	return err == nil && !endsWithBody(v, v.Get("response"))
}

// endsWithBody reports whether an item of a list has what php-vcr writes last.
func endsWithBody(item, response tree.Value) bool {
	hasBody := response.Get("body").Kind != tree.Null || response.Get("parsed_body").Kind != tree.Null
	return hasBody || item.Get("index").Kind != tree.Null || response.Get("status", "code").Text == "204"
}
