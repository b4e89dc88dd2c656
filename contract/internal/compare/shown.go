package compare

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/specs/recording"
)

// side stands for one of two values in the arguments of a message.
type side int

const (
	recordedSide side = iota
	answeredSide
)

// withheld stands for a value that may be secret.
const withheld = "(a value that may be secret)"

// shownValues returns two values as they may be shown, as JSON: without secrets. Those that are absent are empty.
func (c *comparison) shownValues(path []string, was, is any) (shownWas, shownIs string) {
	if was != absent {
		shownWas = c.visible(recordedSide, path)
	}
	if is != absent {
		if was == absent {
			path = append(slices.Clip(c.other), path[len(path)-1:]...)
		} else {
			path = c.other
		}
		shownIs = c.visible(answeredSide, path)
	}
	return shownWas, shownIs
}

// visible returns what may be shown of the value at a place of a body.
func (c *comparison) visible(of side, path []string) string {
	value, found := c.redactedAt(of, path)
	if !found {
		return withheld
	}
	return shown(value)
}

// isSecretPlace reports whether both values at a place are secrets, whose values say nothing.
func (c *comparison) isSecretPlace(path []string) bool {
	if c.IsBrief {
		return false
	}
	was, _ := c.redactedAt(recordedSide, path)
	is, _ := c.redactedAt(answeredSide, c.other)
	a, isText := was.(string)
	b, isOtherText := is.(string)
	return isText && isOtherText && isSecret(a) && isSecret(b)
}

// redactedAt returns the value at a place of a body from which the secrets were taken.
func (c *comparison) redactedAt(of side, path []string) (value any, found bool) {
	if c.redacted == nil {
		was, is := c.exchange.redacted(c.Redactor)
		c.redacted = map[side]any{recordedSide: c.whole(was), answeredSide: c.whole(is)}
	}
	value = c.redacted[of]
	if value == nil {
		return nil, false
	}
	for _, token := range path {
		switch at := value.(type) {
		case map[string]any:
			value, found = at[token]
			if !found {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			value = at[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// whole returns the body of an answer as the value that is compared, or nil if it cannot be decoded.
func (c *comparison) whole(r *recording.Response) any {
	if r == nil || r.Body == nil {
		return nil
	}
	header := http.Header{}
	for _, name := range []string{"Content-Type", "Content-Encoding"} {
		header.Set(name, r.Headers.Value(name))
	}
	values, reason := c.decode(header, r.Body.Bytes)
	switch {
	case reason != "" || len(values) == 0:
		return nil
	case len(values) == 1 && !c.isList:
		return values[0]
	}
	return values
}

// redacted returns the recorded answer and the subject's without secrets.
func (e *Exchange) redacted(redactor *recording.Redactor) (was, is *recording.Response) {
	answer := *e.Item.Exchange
	answer.Response = e.Answer.recorded()
	return redactor.Redact(e.Item.Exchange, e.Operation()).Response, redactor.Redact(&answer, e.Operation()).Response
}

// reason returns what an error says, without secrets, as far as it is short.
func (c *comparison) reason() string {
	const longest = 300
	a := c.exchange.Answer
	if a.Status < http.StatusBadRequest || len(a.Body) > longest || c.IsBrief {
		return ""
	}
	_, is := c.exchange.redacted(c.Redactor)
	text := strings.TrimSpace(string(is.Body.Bytes))
	if text == "" || strings.Contains(text, "\n") {
		return ""
	}
	return ": " + text
}

// shown returns a value as JSON, or its beginning.
func shown(value any) string {
	const longest = 200
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	if len(text) > longest {
		return strings.ToValidUTF8(string(text[:longest]), "") + "…"
	}
	return string(text)
}

// inWords formats a message, with values in the places of their sides.
func inWords(shownWas, shownIs, format string, args []any) string {
	for i, arg := range args {
		switch arg {
		case recordedSide:
			args[i] = shownWas
		case answeredSide:
			args[i] = shownIs
		}
	}
	return fmt.Sprintf(format, args...)
}
