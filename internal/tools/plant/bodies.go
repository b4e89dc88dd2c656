package plant

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf16"

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

// names are those of secrets.
var names = []string{
	"password", "Password", "PASSWORD", "PaSsWoRd", "passwd", "pwd", "DB_PWD", "dbPwd", "pass", "smtp_pass", "passphrase",
	"credential", "credentials", "session_id", "sessionId", "X-Session-Id", "jwt", "otp", "encryption_key",
	"ssh_key", "sshKey",
	"AWSAccessKeyId", "aws_secret_access_key", "Ocp-Apim-Subscription-Key", "api_key", "apikey", "X-Api-Key", "token",
	"accessToken", "refresh_token", "client_secret", "clientSecret", "private_key", "signing-key", "signature",
	"authorization",
}

func (g *Generator) name() string { return pick(g, names) }

func pick[T any](g *Generator, of []T) T { return of[g.random.IntN(len(of))] }

// namedKinds are bodies in which a secret stands behind its name, in whatever syntax.
var namedKinds = []bodyKind{
	{"values that are no texts", "application/json", func(g *Generator) string {
		return quoted(map[string]any{"a": []any{
			map[string]any{g.name(): map[string]any{"v": g.password(), "more": []any{g.token()}}},
			map[string]any{g.name(): []any{g.password(), []any{g.token()}}},
		}})
	}},
	{"names and values", "application/json", func(g *Generator) string {
		return fmt.Sprintf(`{"params":[{"name":"x","value":1},{"name":%q,"value":%s},{"Value":%s,"type":"text","Key":%q},`+
			`{"value":{"v":%s},"field":%q}],"headers":[["Accept","*/*"],[%q,%s]]}`, g.name(), quoted(g.password()),
			quoted(g.password()), g.name(), quoted(g.password()), g.name(), g.name(), quoted(g.token()))
	}},
	{"assignments in JSON", "application/json", func(g *Generator) string {
		return quoted(map[string]any{
			"dsn": "host=db user=me " + g.name() + "=" + g.token() + " port=1", "odbc": "Server=x;" + g.name() + "=" +
				g.token() + ";x=1",
			"url": "/path?" + g.name() + "=" + g.token() + "&x=1", "go": g.name() + ` := "` + g.token() + `"`,
			"log": "refused {" + g.name() + ": " + g.token() + ", user: me}", "ruby": ":" + g.name() + " => '" + g.token() + "'",
		})
	}},
	{"JSON in the middle of a text", "application/json", func(g *Generator) string {
		return quoted(map[string]any{
			"one": "got " + quoted(map[string]any{g.name(): g.token()}) + " from", "two": "got {'" + g.name() + "': '" +
				g.token() + "'}",
			"three": "got " + quoted(map[string]any{"a": quoted(map[string]any{g.name(): g.token()})}),
			"four":  "got " + url.QueryEscape(quoted(map[string]any{g.name(): g.token()})),
			"five":  "got " + quoted(map[string]any{g.name(): map[string]any{"v": []string{g.token()}}}) + " from",
		})
	}},
	{"settings in JSON", "application/json", func(g *Generator) string {
		return quoted(map[string]any{"yaml": g.settings(), "header": "Host: x\r\nAuthorization: Digest " + g.token() +
			"\r\n\r\n"})
	}},
	{"settings with blocks", "application/yaml", (*Generator).settings},
	{"commands", "text/plain", func(g *Generator) string {
		return "run --" + strings.ToLower(g.name()) + " " + g.token() + " --user me\nrun --" + g.name() + "='" +
			g.token() + "'\n" +
			"curl -H \"Authorization: Token " + g.token() + "\" -H 'Cookie: a=" + g.token() + "' http://h.example/\n"
	}},
	{"XML", "application/xml", func(g *Generator) string {
		return "<?xml version=\"1.0\"?>\n<a><" + g.name() + ">" + g.token() + "</x><ns:" + g.name() +
			" x='1'><![CDATA[" + g.token() + "]]>" +
			"</b><c " + g.name() + "=\"" + g.token() + "\"/><add key=\"" + g.name() + "\" value=\"" + g.token() +
			"\"/><string name='" +
			"api_key'>" + g.token() + "</string><dict><key>client_secret</key>\n<string>" + g.token() + "</string></dict>" +
			"<property><name>x.password</name><value>" + g.token() + "</value></property></a>"
	}},
	{"SQL", "application/sql", func(g *Generator) string {
		return "CREATE USER me IDENTIFIED BY '" + g.token() + "';\nALTER ROLE me WITH PASSWORD '" + g.token() + "';\n" +
			"UPDATE t SET api_key = '" + g.token() + "', x = 1 WHERE token='" + g.token() + "';\n" +
			"INSERT INTO users (id, \"password\", name) VALUES (1, '" + g.token() + "', 'it''s'), (2, '" + g.token() +
			"', f(1, ')'));\n" +
			"insert into u(client_secret) values('" + g.token() + "')"
	}},
	{"SQL in JSON", "application/json", func(g *Generator) string {
		return quoted(map[string]any{"query": "SELECT 1;\nINSERT INTO users (name, pwd) VALUES ('me', '" + g.token() + "')"})
	}},
	{"CSV", "text/csv", func(g *Generator) string { return g.csv(",") }},
	{"CSV of tabs", "text/tab-separated-values", func(g *Generator) string { return g.csv("\t") }},
	{"CSV in JSON", "application/json", func(g *Generator) string { return quoted(map[string]any{"data": g.csv(";")}) }},
	{"UTF-16", "text/plain; charset=utf-16", func(g *Generator) string {
		order := pick(g, []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian})
		var text []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + quoted(map[string]any{"password": g.token(), "a": "ü"}))) {
			text = order.AppendUint16(text, unit)
		}
		return string(text)
	}},
	{"a zip", "application/zip", func(g *Generator) string {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		f, _ := w.Create("settings.yaml")
		_, _ = f.Write([]byte(g.settings()))
		_ = w.Close()
		return b.String()
	}},
	{"a file of zstd", "application/zstd", func(g *Generator) string {
		return string(Compress("zstd",
			[]byte(g.settings())))
	}},
	{"form of parts of a secret", "application/x-www-form-urlencoded", func(g *Generator) string {
		return g.name() + "%5Bv%5D=" + g.token() + "&x[" + g.name() + "][]=" + g.token() + "&a;" + g.name() + "=" +
			g.token() +
			"&n=1;" + g.name() + "=" + g.token()
	}},
	{"files in parts", "multipart/form-data", func(g *Generator) string {
		boundary := "--b" + g.letters(20)
		var b strings.Builder
		part := func(head, content string) { b.WriteString(boundary + "\r\n" + head + "\r\n\r\n" + content + "\r\n") }
		file := "Content-Disposition: form-data; name=\"file\"; filename=\"x\""
		part(file+"\r\nAuthorization: Bearer-ish "+g.token(), "x")
		part(file, g.settings())
		part(file+"\r\nContent-Type: application/json", quoted(g.object()))
		part(file+"\r\nContent-Type: text/csv", g.csv(","))
		part(file,
			"-----BEGIN OPENSSH PRIVATE KEY-----\r\n"+g.token()+"\r\n"+g.token()+"\r\n-----END OPENSSH PRIVATE KEY-----\r\n")
		part(file+"\r\nContent-Type: application/gzip", string(Compress("gzip", []byte(g.settings()))))
		part("Content-Type: application/http", "POST /x HTTP/1.1\r\nX-Auth-Token: "+g.token()+"\r\n\r\n"+quoted(g.object()))
		return b.String() + boundary + "--\r\n"
	}},
}

func (g *Generator) settings() string {
	return "db:\n  user: me\n  " + g.name() + ":\n    v: " + g.token() + "\n    more: |\n      " + g.token() +
		"\n  port: 1\n" +
		g.name() + ": >\n  " + g.token() + "\n  " + g.token() + "\n" + "token:\n- " + g.token() + "\n- " + g.token() +
		"\nlast: {" + g.name() +
		": " + g.token() + "}\n[section]\n" + g.name() + " = " + g.token() + "\nexport " + strings.ToUpper(g.name()) +
		"=\"" + g.token() +
		" " + g.token() + "\"\n"
}

func (g *Generator) csv(separator string) string {
	row := func(fields ...string) string { return strings.Join(fields, separator) + "\r\n" }
	return row("id", `"`+g.name()+`"`, "name", g.name()) + row("1", g.token(), `"a `+separator+` b"`, `"`+g.token()+`"`) +
		row("2", "", "", g.token())
}

// namedHeaderKinds, namedQueryKinds and namedPathKinds are the same in headers, queries and paths.
var (
	namedHeaderKinds = []func(*Generator, http.Header){
		func(g *Generator, h http.Header) { h.Set(g.name(), g.token()) },
		func(g *Generator, h http.Header) { h.Set("X-Config", quoted(g.object())) },
		func(g *Generator, h http.Header) { h.Set("X-Note", "login with "+g.name()+"="+g.token()) },
		func(g *Generator, h http.Header) { h.Set("X-Note", `{"a":"b"} `+g.name()+`="`+g.token()+`", x=1`) },
		func(g *Generator, h http.Header) { h.Set("X-Url", "/a?x=1&"+g.name()+"="+g.token()) },
		func(g *Generator, h http.Header) {
			h.Set("X-Config", url.QueryEscape(quoted(map[string]any{g.name(): g.token()})))
		},
	}
	namedQueryKinds = []func(*Generator) string{
		func(g *Generator) string { return "a;" + g.name() + "=" + g.token() },
		func(g *Generator) string { return "?" + g.name() + "=" + g.token() },
		func(g *Generator) string { return "a=1;" + g.name() + "=" + g.token() + ";b=2" },
		func(g *Generator) string { return g.name() + "[v]=" + url.QueryEscape(g.password()) },
		func(g *Generator) string { return g.name() + "=" + url.QueryEscape(g.password()) },
		func(g *Generator) string { return "x=" + url.QueryEscape("a "+g.name()+"="+g.token()) },
		func(g *Generator) string {
			return "x=" + url.QueryEscape(quoted([]any{map[string]any{"name": g.name(), "value": g.password()}}))
		},
	}
	namedPathKinds = []func(*Generator) string{
		func(*Generator) string { return "" },
		func(*Generator) string { return "" },
		func(g *Generator) string { return "/" + g.name() + "=" + g.token() },
		func(g *Generator) string { return ";" + g.name() + "=" + g.token() + "/x" },
		func(g *Generator) string { return "/" + url.PathEscape(quoted(map[string]any{g.name(): g.token()})) },
	}
)
