package judge_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

func compressed(tb testing.TB, kind, text string) []byte {
	tb.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	switch kind {
	case "zlib":
		w = zlib.NewWriter(&b)
	case "flate":
		w, _ = flate.NewWriter(&b, flate.DefaultCompression)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	}
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.Bytes()
}

// answer sets the body of the response and its headers, names and values in turn.
func answer(body []byte, headers ...string) func(*record.Item) {
	return func(i *record.Item) {
		i.Response.Body = &recording.Body{Bytes: body}
		for k := 0; k+1 < len(headers); k += 2 {
			i.Response.Headers = append(i.Response.Headers, [2]string{headers[k], headers[k+1]})
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	j := probe(t)
	json := []string{"Content-Type", "application/json"}
	thing := `{"name":"a"}`
	sized := func(text string) []string { return append(json, "Content-Length", strconv.Itoa(len(text))) }
	inconclusive := func(reason string) []string { return []string{"inconclusive schema /response/body: " + reason} }
	for name, tt := range map[string]struct {
		path string
		edit func(*record.Item)
		want []string
	}{
		"gzip":    {edit: answer(compressed(t, "gzip", thing), append(json, "Content-Encoding", "gzip")...)},
		"deflate": {edit: answer(compressed(t, "zlib", thing), append(json, "Content-Encoding", "deflate")...)},
		"deflate without its wrapper": {
			edit: answer(compressed(t, "flate", thing), append(json, "Content-Encoding", "deflate")...),
		},
		"decoded already, under a header that says otherwise": {
			edit: answer([]byte(thing), append(json, "Content-Encoding", "gzip")...),
		},
		"brotli, decoded by the recording tool": {
			edit: answer([]byte(thing), append(json, "Content-Encoding", "br")...),
		},
		"brotli":            {edit: answer(compressed(t, "br", thing), append(json, "Content-Encoding", "br")...)},
		"zstd":              {edit: answer(compressed(t, "zstd", thing), append(json, "Content-Encoding", "ZSTD")...)},
		"gzip, then brotli": {edit: answer(compressed(t, "br", string(compressed(t, "gzip", thing))), append(json, "Content-Encoding", "gzip, br")...)},
		"brotli that is cut off": {
			edit: answer(compressed(t, "br", thing)[:5], append(json, "Content-Encoding", "br")...),
			want: inconclusive("the body cannot be decoded as br: it is damaged or cut off"),
		},
		"a coding of its own": {
			edit: answer([]byte{0x8b, 3, 0x80}, append(json, "Content-Encoding", "lz4")...),
			want: inconclusive("no decoder for content coding lz4"),
		},
		"gzip that is cut off": {
			edit: answer(compressed(t, "gzip", thing)[:15], append(json, "Content-Encoding", "gzip")...),
			want: inconclusive("the body cannot be decoded as gzip: it is damaged or cut off"),
		},
		"no body": {
			edit: func(*record.Item) {},
			want: inconclusive("the recording does not contain the body, and one is documented"),
		},
		"a body that is left out": {
			edit: func(i *record.Item) { i.ResponseDoubt = "the recording does not contain the body" },
			want: inconclusive("the recording does not contain the body"),
		},
		"a body that is cut": {
			edit: func(i *record.Item) {
				answer([]byte(`{"na`), json...)(i)
				i.ResponseDoubt = "the recording has only the beginning of the body"
			},
			want: inconclusive("the recording has only the beginning of the body"),
		},
		"an empty body where one is documented": {
			edit: answer(nil, json...),
			want: []string{"error schema /response/body: the response body is empty, but one is documented"},
		},
		"data after the value": {
			edit: answer([]byte(thing+" x"), json...), want: inconclusive("the body is not JSON: data after the value"),
		},
		"data after the value, byte for byte": {
			edit: answer([]byte(thing+" x"), sized(thing+" x")...),
			want: []string{"error schema /response/body: the body is not JSON: data after the value"},
		},
		"half of it, byte for byte": {
			edit: answer([]byte(`{"name":`), sized(`{"name":`)...),
			want: []string{"error schema /response/body: the body is not JSON: the text ends too early at byte 8"},
		},
		"a number that is none, byte for byte": {
			edit: answer([]byte(`{"name":"a","weight":NaN}`), sized(`{"name":"a","weight":NaN}`)...),
			want: []string{"error schema /response/body: the body is not JSON: a syntax error at byte 21"},
		},
		"no UTF-8, byte for byte": {
			edit: answer([]byte("{\"name\":\"\xe4\"}"), sized("{\"name\":\"\xe4\"}")...),
			want: []string{"error schema /response/body: the body is not UTF-8"},
		},
		"something in the place of a secret": {
			edit: answer([]byte(`{"name":"a","weight":<WEIGHT>}`), sized(`{"name":"a","weight":<WEIGHT>}`)...),
			want: inconclusive("the body is not JSON: a syntax error at byte 21"),
		},
		"a duplicate key, byte for byte": {
			edit: answer([]byte(`{"name":"a","name":"b"}`), sized(`{"name":"a","name":"b"}`)...),
			want: inconclusive("the body is not JSON: a duplicate key at byte 12"),
		},
		"a duplicate key": {
			edit: answer([]byte(`{"name":"a","name":"b"}`), json...),
			want: inconclusive("the body is not JSON: a duplicate key at byte 12"),
		},
		"an absurd exponent": {
			edit: answer([]byte(`{"name":"a","weight":1e1000001}`), json...),
			want: inconclusive("the body is not JSON: a number has an exponent beyond 4096"),
		},
		"absurd nesting": {
			edit: answer([]byte(strings.Repeat("[", 300)), json...),
			want: inconclusive("the body is not JSON: nested deeper than 256 levels"),
		},
		"Latin-1": {
			edit: answer([]byte("{\"name\":\"\xe4\"}"), "Content-Type", "application/json; charset=ISO-8859-1"),
		},
		"no UTF-8": {edit: answer([]byte("{\"name\":\"\xe4\"}"), json...), want: inconclusive("the body is not UTF-8")},
		"an unknown charset": {
			edit: answer([]byte(thing), "Content-Type", "application/json; charset=ebcdic"),
			want: inconclusive("no decoder for charset ebcdic"),
		},
		"another media type": {
			edit: answer([]byte("<p>"), "Content-Type", "text/html"),
			want: []string{`error undocumented-media-type /response/headers/Content-Type: ` +
				`the response has Content-Type "text/html"; documented: application/json`},
		},
		"no headers": {
			edit: answer([]byte(thing)),
			want: inconclusive("the recording has no headers, so the media type of the body is not known"),
		},
		"no media type": {
			edit: answer([]byte(thing), "Content-Length", "9"),
			want: []string{`error undocumented-media-type /response/headers/Content-Type: ` +
				`the response has no Content-Type; documented: application/json`},
		},
		"NDJSON": {
			path: "/lines", edit: answer([]byte(thing+"\n"+`{"name":1}`+"\n"), "Content-Type", "application/x-ndjson"),
			want: []string{"error schema /response/body/1/name: value must be a string"},
		},
		"NDJSON with a broken line": {
			path: "/lines", edit: answer([]byte(thing+"\n{\n"), "Content-Type", "application/x-ndjson"),
			want: inconclusive("line 2 of the body is not JSON: the text ends too early at byte 2"),
		},
		"YAML": {path: "/lines", edit: answer([]byte("a: [1]\n"), "Content-Type", "application/x-yaml")},
		"YAML that is none": {
			path: "/lines", edit: answer([]byte("a: [1\n"), "Content-Type", "application/x-yaml"),
			want: inconclusive("the body is not YAML"),
		},
		"a body of no bytes that is not recorded": {
			path: "/lines", edit: func(i *record.Item) {
				i.Response.Headers = recording.Headers{{"Content-Type", "text/plain"}, {"Content-Length", "0"}}
			},
		},
		"an archive": {path: "/lines", edit: answer(compressed(t, "gzip", "x"), "Content-Type", "application/gzip")},
		"an archive that is none": {
			path: "/lines", edit: answer([]byte("x"), "Content-Type", "application/gzip"),
			want: inconclusive("cannot open the archive: it is not gzip"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tt.path
			if path == "" {
				path = "/things/7"
			}
			got := findingLines(j.Exchange(talk{"GET " + path, "", 200, "", tt.edit}.item()))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzJudgeBody(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a"}`, `{"a":[1e5,null,true,{"b":"\u00e4"}]}`, `{"a":1,"a":2}`, `1e1000001`, `[[[[`, "\ufeff{}", `{} x`,
		`nul`,
	} {
		f.Add([]byte(seed))
	}
	j := probe(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := body.DecodeJSON(data)
		if err == nil && value == nil && !bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
			t.Errorf("%q decodes to nothing", data)
		}
		edit := answer(data, "Content-Type", "application/json")
		r := j.Exchange(talk{"GET /things/7", "", 200, "", edit}.item())
		for _, c := range r.Checks {
			if c.Rule == judge.Schema && c.Verdict == report.Pass && err != nil && len(r.Checks) < 7 {
				t.Errorf("%q passes although it is %v", data, err)
			}
		}
	})
}
