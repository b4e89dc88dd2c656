package capture

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
)

// last returns the interaction at the end of a cassette, or says what it lacks. Its last line may have no end, because
// the cassette was written by hand, or because it was cut. It counts if it can be read, and is left out if it
// is a beginning of something that does not matter.
func (c *cassette) last(record Record) (Record, error) {
	end := bytes.LastIndexByte(record.raw, '\n') + 1
	shorter := record
	shorter.raw = record.raw[:end]
	line := bytes.TrimSpace(record.raw[end:])
	err := c.isWhole(record)
	switch {
	case len(line) == 0:
		return shorter, c.isWhole(shorter)
	case err == nil && !isOpen(line):
		return record, nil
	case err == nil:
		return c.inDoubt(record, shorter), nil
	case mayHoldBody(line):
		return record, err
	}
	if c.isWhole(shorter) != nil {
		return record, err
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
func (c *cassette) inDoubt(record, shorter Record) Record {
	record.decode = func(r Record) (Item, error) {
		item, err := decodeInteraction(r)
		if err != nil || item.Response == nil || item.Response.Body == nil {
			return item, err
		}
		before, err := decodeInteraction(shorter)
		isSame := err == nil && before.Response != nil && before.Response.Body != nil &&
			bytes.Equal(before.Response.Body.Bytes, item.Response.Body.Bytes)
		if !isSame && item.ResponseDoubt == "" && contentLength(item.Response.Headers, value{}) < 0 {
			item.ResponseDoubt = "the cassette ends within the body, without a line break: it may be cut off"
		}
		return item, nil
	}
	return record
}

var wholeStatus = regexp.MustCompile(`^([1-9][0-9]{2}|0)$`)

// isWhole returns an error that says what an item at the end of a file lacks of what matters. In all formats what comes
// last does not matter, unless it is the body.
func (c *cassette) isWhole(record Record) error {
	if len(record.raw) == 0 {
		return errors.New("its first line has no line break")
	}
	v, err := parseInteraction(record.raw)
	if err != nil {
		return err
	}
	response := v.get("response")
	isNamed := response.get("status").kind == scalar && response.get("code").kind == null // "200 OK", of which more may be missing
	if status := statusOf(response); !wholeStatus.MatchString(status.text) || isNamed && c.outer == before {
		return errors.New("the status is missing")
	}
	if c.outer == after && !endsWithBody(v, response) {
		return errors.New("the body is missing")
	}
	if c.ruby && timeOf(v.get("recorded_at").text).IsZero() {
		return errors.New("the time of recording is missing")
	}
	return nil
}

// endsWithBody reports whether an item of a list has what php-vcr writes last.
func endsWithBody(item, response value) bool {
	hasBody := response.get("body").kind != null || response.get("parsed_body").kind != null
	return hasBody || item.get("index").kind != null || response.get("status", "code").text == "204"
}
