package learn

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/contract/internal/body"
)

// readRows reads the rows of a result, in the forms in which they are lists of values: JSON, one row a line or all in a
// list, and CSV. It returns nil for any other one.
func readRows(e *Exchange) *sequence {
	if e.Item.ResponseDoubt != "" || e.Item.Response.Body == nil {
		return nil
	}
	plain, reason := body.Uncode(e.Item.Response.Headers.Value("Content-Encoding"), e.Item.Response.Body.Bytes)
	if reason != "" {
		return nil
	}
	s := newSequence()
	switch format := formatOf(e); format {
	case "msgpack", "msgpack.gz":
		return readPacked(plain)
	case "csv", "tsv":
		return readSeparated(plain, format == "tsv", queryOf(e).Get("header") == "true")
	case "json", "jsonl":
		whole := gjson.ParseBytes(plain)
		if first := whole.Get("0"); whole.IsArray() && (first.IsArray() || len(whole.Array()) == 0) {
			for _, row := range whole.Array() {
				s.node.Content = append(s.node.Content, jsonNode(row))
			}
			return s
		}
		for line := range bytes.Lines(plain) {
			row := gjson.ParseBytes(bytes.TrimSpace(line))
			if !row.IsArray() {
				return nil
			}
			s.node.Content = append(s.node.Content, jsonNode(row))
		}
		return s
	}
	return nil
}

// formatOf returns the format of a result: the one that the request names, or that of the media type of the answer.
func formatOf(e *Exchange) string {
	if format := queryOf(e).Get("format"); format != "" {
		return format
	}
	switch body.MediaType(e.Item.Response.Headers.Value("Content-Type")) {
	case "text/tab-separated-values":
		return "tsv"
	case "text/csv":
		return "csv"
	case "application/json":
		return "json"
	}
	return "msgpack"
}

// readPacked reads rows in MessagePack, one behind the other, perhaps compressed once more.
func readPacked(text []byte) *sequence {
	if plain, reason := body.Uncode("gzip", text); reason == "" && bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		text = plain
	}
	decoder := msgpack.NewDecoder(bytes.NewReader(text))
	s := newSequence()
	for {
		row, err := decoder.DecodeInterface()
		if errors.Is(err, io.EOF) {
			return s
		}
		values, isRow := row.([]any)
		raw, encodeErr := json.Marshal(values)
		if err != nil || !isRow || encodeErr != nil {
			return nil
		}
		s.node.Content = append(s.node.Content, jsonNode(gjson.ParseBytes(raw)))
	}
}

func readSeparated(text []byte, isTabs, hasHeader bool) *sequence {
	reader := csv.NewReader(strings.NewReader(string(text)))
	if isTabs {
		reader.Comma = '\t'
	}
	rows, err := reader.ReadAll()
	if err != nil {
		return nil
	}
	s := newSequence()
	for i, row := range rows {
		if i == 0 && hasHeader {
			continue
		}
		one := newSequence()
		for _, value := range row {
			one.node.Content = append(one.node.Content, jsonNode(valueOf(value)))
		}
		s.node.Content = append(s.node.Content, one.node)
	}
	return s
}

// valueOf reads a value of a table of text: a number, if it is one.
func valueOf(text string) gjson.Result {
	if v := gjson.Parse(text); v.Type == gjson.Number && v.Raw == text {
		return v
	}
	return gjson.Result{Type: gjson.String, Str: text, Raw: text}
}
