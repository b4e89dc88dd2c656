package plant

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/vmihailenco/msgpack/v5"
)

// bodyKind is a form of bodies.
type bodyKind struct {
	name, mediaType string
	body            func(*Generator) string
}

func (k bodyKind) fill(g *Generator, m *Message) {
	m.Body = []byte(k.body(g))
	mediaType := k.mediaType
	if mediaType == "multipart/form-data" {
		first, _, _ := strings.Cut(string(m.Body), "\r\n")
		mediaType += "; boundary=" + strings.TrimPrefix(first, "--")
	}
	m.Header.Set("Content-Type", mediaType)
}

var bodyKinds = []bodyKind{
	{"object", "application/json", func(g *Generator) string { return quoted(g.object()) }},
	{"escapes", "application/json", func(g *Generator) string {
		return fmt.Sprintf(`{"id":4,%s:%s}`, escaped("password"), escaped(g.password()))
	}},
	{"JSON in JSON", "application/json", func(g *Generator) string {
		return quoted(map[string]any{"config": quoted(map[string]any{"deep": quoted(g.object())})})
	}},
	{"address", "application/json", func(g *Generator) string {
		return quoted(map[string]any{"url": "mysql://me:" + g.token() + "@db.example/x", "note": "use " + g.key()})
	}},
	{"address with escaped slashes", "application/json", func(g *Generator) string {
		return `{"url":"https:\/\/me:` + g.token() + `@db.example\/x"}`
	}},
	{"no JSON", "application/json", func(g *Generator) string { return `{"api_key": "` + g.token() + `", oops` }},
	{"lines", "application/x-ndjson", func(g *Generator) string {
		return quoted(g.object()) + "\n" + quoted(g.object()) + "\n"
	}},
	{"events", "text/event-stream", func(g *Generator) string {
		return "event: a\ndata: " + quoted(map[string]any{"text": quoted(g.object())}) + "\n\ndata: [DONE]\n\n"
	}},
	{"long events", "text/event-stream", func(g *Generator) string {
		return g.long("\ndata: " + quoted(map[string]any{"text": quoted(g.object())}) + "\n\n")
	}},
	{"form", "application/x-www-form-urlencoded", func(g *Generator) string {
		return "name=x&client_secret=" + url.QueryEscape(g.password()) + "&" + everyByte("password") + "=" +
			everyByte(g.password())
	}},
	{"parts", "multipart/form-data", (*Generator).parts},
	{"text", "text/plain", func(g *Generator) string {
		return "Authorization: Bearer " + g.token() + "\ncurl -u x https://me:" + g.token() + "@h.example/ # " + g.key()
	}},
	{"settings", "application/x-yaml", func(g *Generator) string {
		return "_export:\n  db_password: '" + g.token() + "'\nexport API_KEY=" + g.token() + "\nX-Auth-Token: " +
			g.token() + "\n"
	}},
	{"key in PEM", "application/json", func(g *Generator) string {
		const begin, end = "-----BEGIN EC PRIVATE KEY-----\n", "\n-----END EC PRIVATE KEY-----"
		return quoted(map[string]any{"pem": begin + g.token() + end})
	}},
	{"cut key in PEM", "text/plain", func(g *Generator) string {
		return g.long("-----BEGIN PRIVATE KEY-----\n" + g.token() + "\n" + g.token() + "\n-----END PRIVATE KEY-----\n")
	}},
	{"settings in gzip", "application/gzip", func(g *Generator) string {
		return string(Compress("gzip", []byte("password: "+g.token()+"\n")))
	}},
	{"MessagePack", "application/msgpack", func(g *Generator) string { return string(packed(g.object())) }},
	{"MessagePack in gzip", "application/gzip", func(g *Generator) string {
		return string(Compress("gzip", packed(g.object())))
	}},
	{"Latin 1", "text/plain; charset=iso-8859-1", func(g *Generator) string {
		return "caf\xe9 ?token=" + g.token() + ` "password":"` + g.token() + `"`
	}},
	{"long object", "application/json", func(g *Generator) string { return g.long(quoted(g.object())) }},
	{"long text", "text/plain", func(g *Generator) string {
		return g.long("at https://me:" + g.token() + "@h.example/ ")
	}},
	{"long form", "application/x-www-form-urlencoded", func(g *Generator) string {
		return "filler=" + g.long("&url="+url.QueryEscape("https://me:"+g.token()+"@h.example/"))
	}},
	{"long parts", "multipart/form-data", func(g *Generator) string { return g.long(g.parts()) }},
}

// object returns an object with secrets, one of them deep inside.
func (g *Generator) object() map[string]any {
	return map[string]any{
		"name": "nightly", "apiKey": g.password(),
		"settings": []any{map[string]any{"db_password": g.password(), "port": 5432}},
	}
}

// long returns a body that is cut within a piece: filler goes before it.
func (g *Generator) long(piece string) string {
	room := max(0, g.limit-1-g.random.IntN(len(piece)))
	switch {
	case piece[0] == '{':
		return `{"filler":"` + strings.Repeat("x", max(0, room-13)) + `",` + piece[1:]
	case strings.HasPrefix(piece, "--"):
		boundary, _, _ := strings.Cut(piece, "\r\n")
		head := boundary + "\r\nContent-Disposition: form-data; name=\"filler\"\r\n\r\n"
		return head + strings.Repeat("x", max(0, room-len(head)-2)) + "\r\n" + piece
	}
	return strings.Repeat("x", room) + piece
}

func (g *Generator) parts() string {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.SetBoundary("b" + g.letters(20))
	_ = w.WriteField("name", "x")
	_ = w.WriteField("private_key", g.password())
	_ = w.WriteField("settings", quoted(g.object()))
	_ = w.Close()
	return body.String()
}

func packed(value any) []byte {
	text, err := msgpack.Marshal(value)
	if err != nil {
		panic(err) // no such value is made here
	}
	return text
}

// code gives some messages a content coding, and returns it.
func (g *Generator) code(m *Message) string {
	codings := []string{"", "", "", "", "gzip", "deflate", "br", "zstd"}
	coding := codings[g.random.IntN(len(codings))]
	if coding != "" {
		m.Body = Compress(coding, m.Body)
		m.Header.Set("Content-Encoding", coding)
	}
	return coding
}

// Compress applies a content coding; none, if it is empty.
func Compress(coding string, plain []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "":
		return plain
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "br":
		w = brotli.NewWriterLevel(&b, 1)
	case "zstd":
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	default:
		w, _ = flate.NewWriter(&b, flate.BestSpeed)
	}
	_, _ = w.Write(plain)
	_ = w.Close()
	return b.Bytes()
}
