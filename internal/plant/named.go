package plant

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf16"
)

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
