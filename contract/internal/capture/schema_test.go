package capture_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/specs/recording"
)

// The decoder is what reads lines; the published schema says what it reads. They must accept the same.
func TestTheDecoderAcceptsWhatTheSchemaAccepts(t *testing.T) {
	t.Parallel()
	c := jsonschema.NewCompiler()
	c.AssertFormat, c.AssertContent = true, true
	if err := c.AddResource("mem:///line.json", strings.NewReader(recording.JSONSchema)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("mem:///line.json")
	if err != nil {
		t.Fatal(err)
	}
	values := []string{
		`null`, `1`, `0`, `-1`, `1.5`, `200`, `1000`, `"x"`, `""`, `"2026-05-04T01:20:05.123456789Z"`,
		`"2026-05-04T01:20:05+09:00"`, `true`,
		`[]`, `["x"]`, `[["a","b"]]`, `[["a"]]`, `[1]`, `[null]`, `[[null,"b"]]`, `{"text":null,"base64":null}`, `{"text":1}`,
		`{"base64":"*"}`, `{"truncated":null}`, `{}`, `{"text":"x"}`, `{"base64":"eA=="}`, `{"text":"","base64":""}`,
		`{"text":"x","truncated":true}`, `{"method":"GET","url":"u"}`, `{"method":"","url":"u"}`, `{"status":200}`,
		`{"status":-1}`, `"fault-1; answer=injected; effect=once"`, `"fault-1; answer=mine"`, `"fault 1"`,
	}
	for _, frame := range []string{
		`{"seq":%,"request":{"method":"GET","url":"u"}}`, `{"start":%,"request":{"method":"GET","url":"u"}}`,
		`{"world":%,"request":{"method":"GET","url":"u"}}`, `{"request":%}`,
		`{"response":%,"request":{"method":"GET","url":"u"}}`,
		`{"redacted":%,"request":{"method":"GET","url":"u"}}`, `{"other":%,"request":{"method":"GET","url":"u"}}`,
		`{"fault":%,"request":{"method":"GET","url":"u"}}`,
		`{"request":{"method":%,"url":"u"}}`, `{"request":{"method":"GET","url":"u","headers":%}}`,
		`{"request":{"method":"GET","url":"u","body":%}}`, `{"request":{"method":"GET","url":"u"},"response":{"status":%}}`,
	} {
		for _, value := range values {
			line := strings.ReplaceAll(frame, "%", value)
			var v any
			d := json.NewDecoder(strings.NewReader(line))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			items, problems := read(first + "\n" + line + "\n")
			if accepts, says := len(items) == 2, schema.Validate(v); accepts != (says == nil) {
				t.Errorf("%s: the decoder says %q, the schema %v", line, problems, says)
			}
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	for item, err := range capture.Read("r", strings.NewReader(first+"\n"+second+"\n")).Items() {
		if err != nil {
			t.Fatal(err)
		}
		var ndjson, har bytes.Buffer
		one := func(yield func(*recording.Exchange) bool) { yield(item.Exchange) }
		if err := errors.Join(recording.Write(&ndjson, item.Exchange), recording.WriteHAR(&har, one)); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{ndjson.String(), har.String()} {
			items, problems := read(text)
			if len(problems) > 0 || len(items) != 1 || items[0].Seq != item.Seq || items[0].World != item.World ||
				items[0].Request.URL != item.Request.URL || !items[0].Start.Equal(item.Start) ||
				show(items[0].Request.Body) != show(item.Request.Body) {
				t.Errorf("%s\n%v %+v", text, problems, items)
			}
		}
	}
}
