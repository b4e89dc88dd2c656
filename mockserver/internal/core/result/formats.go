package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"math"
	"mime"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"
	"weak"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// format is one form of a result.
type format struct {
	name, Media string
	write       func(form Form, out *world.Output) ([]byte, error)
}

// Form is the form in which a client wants a result.
type Form struct {
	format
	header  bool // a first row with the names of the columns
	nullify bool // NaN and infinities become null
	Limit   int64
}

// formats returns all forms of results. The first is the default (assumed).
func formats() []format {
	return []format{
		{"tsv", "text/tab-separated-values", writeSeparated('\t')},
		{"csv", "text/csv", writeSeparated(',')},
		{"json", "application/json", writeLines},
		{"jsonl", "application/json", writeLines},
		{"msgpack", "application/x-msgpack", writeStream},
		{"msgpack.gz", "application/x-gzip", writePacked},
	}
}

// FormFromCall returns the form of a result that the query and the headers ask for.
func FormFromCall(c *op.Call) (form Form, err error) {
	if form.header, err = c.Flag("header", false); err != nil {
		return form, err
	}
	if form.nullify, err = c.Flag("nullify_special", false); err != nil {
		return form, err
	}
	if form.Limit, err = c.Int("limit", math.MaxInt64); err != nil {
		return form, err
	}
	if form.Limit < 0 {
		return form, op.Invalid("limit", "must be at least 0, but is %d", form.Limit)
	}
	form.format, err = formatFromQuery(c)
	return form, err
}

// formatFromQuery returns the form that the query names. Without a name the Accept header decides, since clients send
// the same Accept with every request (assumed).
func formatFromQuery(c *op.Call) (format, error) {
	all := formats()
	if !c.Has("format") {
		i := slices.IndexFunc(all, func(f format) bool { return accepts(c.Header("Accept"), f.Media) })
		if i < 0 {
			return format{}, &op.Error{
				Code: op.CodeNotAcceptable, Field: "Accept",
				Message: "no format of the result is acceptable; choose one with the parameter format",
			}
		}
		return all[i], nil
	}
	names := make([]string, len(all))
	for i, f := range all {
		if f.name == c.Text("format") {
			return f, nil
		}
		names[i] = f.name
	}
	return format{}, op.Invalid("format", "want one of %s, not %q", strings.Join(names, ", "), c.Text("format"))
}

// accepts reports whether an Accept header accepts a media type. An absent header accepts all.
func accepts(header, media string) bool {
	if strings.TrimSpace(header) == "" {
		return true
	}
	kind, _, _ := strings.Cut(media, "/")
	for item := range strings.SplitSeq(header, ",") {
		name, parameters, err := mime.ParseMediaType(item)
		quality, unweighted := strconv.ParseFloat(parameters["q"], 64)
		refused := unweighted == nil && quality == 0
		if err == nil && !refused && (name == media || name == kind+"/*" || name == "*/*") {
			return true
		}
	}
	return false
}

// EachRow calls row with each row of a result, up to the limit of the form.
func (f Form) EachRow(out *world.Output, row func([]any) error) error {
	decoder := msgpack.NewDecoder(bytes.NewReader(out.Rows))
	values := make([]any, len(out.Columns))
	for range min(f.Limit, out.Count) {
		if _, err := decoder.DecodeArrayLen(); err != nil {
			return err
		}
		for i := range values {
			value, err := decodeValue(decoder)
			if err != nil {
				return err
			}
			if isSpecialFloat(value) && f.nullify {
				value = nil
			}
			values[i] = value
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return nil
}

// decodeValue returns int64, uint64 or float64 for all numbers, and keeps bytes distinct from texts.
func decodeValue(decoder *msgpack.Decoder) (any, error) {
	code, err := decoder.PeekCode()
	switch {
	case err != nil:
		return nil, err
	case msgpcode.IsBin(code):
		return decoder.DecodeBytes()
	}
	return decoder.DecodeInterfaceLoose()
}

func isSpecialFloat(value any) bool {
	f, ok := value.(float64)
	return ok && (math.IsNaN(f) || math.IsInf(f, 0))
}

// writeLines writes each row as a JSON array on a line of its own.
func writeLines(form Form, out *world.Output) (text []byte, err error) {
	err = form.EachRow(out, func(row []any) error {
		text = append(text, '[')
		for i, value := range row {
			if i > 0 {
				text = append(text, ',')
			}
			if text, err = AppendJSON(text, value); err != nil {
				return err
			}
		}
		text = append(text, "]\n"...)
		return nil
	})
	return text, err
}

// AppendJSON appends a value as JSON. NaN and infinities are texts, since JSON has no numbers for them (assumed).
func AppendJSON(text []byte, value any) ([]byte, error) {
	switch value.(type) {
	case nil:
		return append(text, "null"...), nil
	case string, []byte:
		return jsontext.AppendQuote(text, strings.ToValidUTF8(plainText(value), "\uFFFD"))
	}
	if isSpecialFloat(value) {
		return jsontext.AppendQuote(text, plainText(value))
	}
	return append(text, plainText(value)...), nil
}

// writeSeparated returns a writer of text with separators, in which null is the empty text (assumed).
func writeSeparated(comma rune) func(Form, *world.Output) ([]byte, error) {
	return func(form Form, out *world.Output) ([]byte, error) {
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.Comma = comma
		fields := make([]string, len(out.Columns))
		if form.header {
			for i, column := range out.Columns {
				fields[i] = column[0]
			}
			if err := w.Write(fields); err != nil {
				return nil, err
			}
		}
		err := form.EachRow(out, func(row []any) error {
			for i, value := range row {
				fields[i] = plainText(value)
			}
			return w.Write(fields)
		})
		w.Flush()
		return text.Bytes(), err
	}
}

// plainText returns a value as text. Bytes are base64 (assumed).
func plainText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []byte:
		return base64.StdEncoding.EncodeToString(v)
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		return floatText(v)
	}
	return ""
}

// floatText returns a float as text that always differs from that of an integer.
func floatText(f float64) string {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case abs != 0 && (abs < 1e-6 || abs >= 1e21):
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// writeStream returns the rows as they are stored, up to the limit of the form.
func writeStream(form Form, out *world.Output) ([]byte, error) {
	if form.Limit >= out.Count {
		return out.Rows, nil
	}
	rest := bytes.NewReader(out.Rows)
	decoder := msgpack.NewDecoder(rest)
	for range form.Limit {
		if err := decoder.Skip(); err != nil {
			return nil, err
		}
	}
	return out.Rows[:len(out.Rows)-rest.Len()], nil
}

func writePacked(form Form, out *world.Output) ([]byte, error) {
	stream, err := writeStream(form, out)
	if err != nil {
		return nil, err
	}
	return wire.Gzip(stream)
}

// minShared is the size of a result, in bytes, from which on answers share its bytes.
const minShared = 64 << 10

// Renderings lets concurrent answers share the bytes of a result, so that memory does not depend on how many clients
// read it at a time, or how slowly. Bytes that no answer needs any more are dropped.
type Renderings struct {
	known sync.Map // rendering of → *rendering
}

// renderingOf identifies a rendering: a result in one form.
type renderingOf struct {
	output          weak.Pointer[world.Output]
	format          string
	header, nullify bool
	rows            int64
}

type rendering struct {
	mu    sync.Mutex
	first weak.Pointer[byte]
	size  int
	etag  string
}

// Render returns a result in the form that a client asks for, and the ETag of these bytes.
func (s *Renderings) Render(out *world.Output, form Form) (rows []byte, etag string, err error) {
	if len(out.Rows) < minShared {
		return renderAlone(out, form)
	}
	name := renderingOf{weak.Make(out), form.name, form.header, form.nullify, min(form.Limit, out.Count)}
	known, _ := s.known.LoadOrStore(name, &rendering{})
	r := known.(*rendering)
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.first.Value(); first != nil {
		return unsafe.Slice(first, r.size), r.etag, nil
	}
	rows, etag, err = renderAlone(out, form)
	if err != nil || len(rows) == 0 {
		s.known.Delete(name)
		return rows, etag, err
	}
	r.first, r.size, r.etag = weak.Make(&rows[0]), len(rows), etag
	runtime.AddCleanup(&rows[0], s.forget, name)
	return rows, etag, nil
}

// forget drops a rendering whose bytes are gone, unless it was rendered again in the meantime.
func (s *Renderings) forget(name renderingOf) {
	known, ok := s.known.Load(name)
	if !ok {
		return
	}
	r := known.(*rendering)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first.Value() == nil {
		s.known.CompareAndDelete(name, r)
	}
}

func renderAlone(out *world.Output, form Form) (rows []byte, etag string, err error) {
	rows, err = form.write(form, out)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(rows)
	return rows, `"` + hex.EncodeToString(sum[:8]) + `"`, nil
}
