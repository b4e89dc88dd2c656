// Package plant makes exchanges with secrets in them, wherever and however clients and services send secrets, and finds
// what is left of the secrets in a file. It is for tests of whatever writes files.
package plant

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Marker is at the beginning, in the middle and at the end of every planted secret but a platform key, so that it is in
// any part of a secret that is longer than a few letters. KeyMarker is likewise in platform keys.
const (
	Marker    = "q7Zk"
	KeyMarker = "5ec7e7"
)

// Message is a request or an answer.
type Message struct {
	Header http.Header
	Body   []byte
}

// Exchange is a request with an answer, both with secrets in them.
type Exchange struct {
	Method, Path string // the path is below the base path of the workflow interface; it has a query
	Request      Message
	Answer       Message
	Status       int
	Secrets      int
	Kind         string // where the secrets are
}

// Generator makes exchanges, the same ones for the same seed.
type Generator struct {
	random *rand.Rand
	count  int
	limit  int // the number of bytes after which bodies are cut
}

// New returns a generator. Some bodies are longer than limit, with a secret where that ends.
func New(seed uint64, limit int) *Generator {
	return &Generator{random: rand.New(rand.NewPCG(seed, 0)), limit: limit} //nolint:gosec // it has to be repeatable
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func (g *Generator) letters(n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(letters[g.random.IntN(len(letters))])
	}
	return b.String()
}

// token returns a secret of letters and digits.
func (g *Generator) token() string {
	g.count++
	return Marker + g.letters(5) + Marker + g.letters(5) + Marker
}

// password returns a secret that has to be escaped almost everywhere.
func (g *Generator) password() string {
	extra := []string{"", "/", "&", `"`, "+", "=", "%", " ", "ü", "@", ":", `\`, "?", "#"}
	return strings.ReplaceAll(g.token(), Marker, Marker+extra[g.random.IntN(len(extra))])
}

// key returns a secret in the platform's own form.
func (g *Generator) key() string {
	g.count++
	hex := fmt.Sprintf("%08x%08x", g.random.Uint32(), g.random.Uint32())
	return fmt.Sprintf("%d/%s%s%s%s%s", 1+g.random.IntN(9999), KeyMarker, hex[:11], KeyMarker, hex[5:], KeyMarker)
}

// Next returns the next exchange.
func (g *Generator) Next() *Exchange {
	g.count = 0
	e := &Exchange{
		Method: http.MethodPost, Path: "/api/pools", Status: http.StatusOK,
		Request: Message{Header: http.Header{}}, Answer: Message{Header: http.Header{}},
	}
	bodies := slices.Concat(bodyKinds, namedKinds)
	headers, queries := slices.Concat(headerKinds, namedHeaderKinds), slices.Concat(queryKinds, namedQueryKinds)
	request, answer := pick(g, bodies), pick(g, bodies)
	request.fill(g, &e.Request)
	answer.fill(g, &e.Answer)
	header, query := g.random.IntN(len(headers)), g.random.IntN(len(queries))
	headers[header](g, e.Request.Header)
	pick(g, append(answerHeaderKinds, namedHeaderKinds...))(g, e.Answer.Header)
	e.Path += pick(g, namedPathKinds)(g) + "?" + queries[query](g)
	coding := [2]string{g.code(&e.Request), g.code(&e.Answer)}
	e.Kind = fmt.Sprintf("%s %s, %s %s, header %d, query %d", request.name, coding[0], answer.name, coding[1], header,
		query)
	e.Secrets = g.count
	return e
}

// headerKinds put a secret into the headers of a request.
var headerKinds = []func(*Generator, http.Header){
	func(g *Generator, h http.Header) { h.Set("Authorization", "SVC1 "+g.key()) },
	func(g *Generator, h http.Header) { h.Set("Authorization", "Bearer "+g.token()) },
	func(g *Generator, h http.Header) {
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("me:"+g.password())))
	},
	func(g *Generator, h http.Header) { h.Set("X-Svc-Write-Key", g.token()) },
	func(g *Generator, h http.Header) { h.Set("X-Api-Key", g.token()+" "+g.token()) },
	func(g *Generator, h http.Header) { h.Set("X-Auth-Token", g.token()) },
	func(g *Generator, h http.Header) { h.Set("Proxy-Authorization", "Basic "+g.token()) },
	func(g *Generator, h http.Header) { h.Add("Cookie", "a="+g.token()+"; b="+g.token()) },
	func(g *Generator, h http.Header) { h.Set("Referer", "https://shop.example/?access_token="+g.token()) },
	func(g *Generator, h http.Header) { h.Set("X-Note", "sent with "+g.key()) },
}

// answerHeaderKinds put a secret into the headers of an answer.
var answerHeaderKinds = []func(*Generator, http.Header){
	func(g *Generator, h http.Header) { h.Add("Set-Cookie", "session="+g.token()+"; Path=/; HttpOnly") },
	func(g *Generator, h http.Header) { h.Set("Location", "https://me:"+g.token()+"@shop.example/") },
	func(g *Generator, h http.Header) {
		h.Set("Link", "<https://shop.example/?page=2&api_key="+g.token()+`>; rel="next"`)
	},
	func(g *Generator, h http.Header) { h.Set("X-Refresh-Token", g.token()) },
}

// queryKinds put a secret into a query.
var queryKinds = []func(*Generator) string{
	func(g *Generator) string { return "api_key=" + url.QueryEscape(g.password()) },
	func(g *Generator) string { return "a=1&access_token=" + everyByte(g.password()) + "&b=2" },
	func(g *Generator) string { return everyByte("token") + "=" + g.token() },
	func(g *Generator) string { return "settings%5BdbPassword%5D=" + url.QueryEscape(g.password()) },
	func(g *Generator) string { return "url=" + url.QueryEscape("postgres://me:"+g.token()+"@db.example/x") },
	func(g *Generator) string {
		return "config=" + url.QueryEscape(quoted(map[string]any{"secret": g.password()}))
	},
	func(g *Generator) string { return "key=" + url.QueryEscape(g.key()) },
}

// everyByte percent-encodes every byte.
func everyByte(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// escaped writes a text of JSON in which every letter is an escape.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return `"` + b.String() + `"`
}

func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // no such value is made here
	}
	return string(text)
}

// Bomb is an answer that is short on the wire, and long or dear to search for secrets.
type Bomb struct {
	Name string
	Message
}

// Bombs returns twelve of them, in all codings, some hundred KB each.
func Bombs() []Bomb {
	bomb := func(name, mediaType, coding, plain string) Bomb {
		header := http.Header{"Content-Type": {mediaType}}
		if coding != "" {
			header.Set("Content-Encoding", coding)
		}
		return Bomb{name, Message{Header: header, Body: Compress(coding, []byte(plain))}}
	}
	inTexts := strings.Repeat("key ", 1<<21)
	for range 6 {
		inTexts = quoted([]string{inTexts})
	}
	return []Bomb{
		bomb("objects", "application/json", "gzip", "["+strings.Repeat("{},", 5<<20)+"{}]"),
		bomb("secrets", "application/json", "deflate", "["+strings.Repeat(`{"password":"p"},`, 1<<20)+"{}]"),
		bomb("lines", "application/x-ndjson", "br", strings.Repeat("{\"token\":1}\n", 1<<20)),
		bomb("texts-in-texts", "application/json", "zstd", inTexts),
		bomb("members", "text/plain", "gzip", strings.Repeat(`"key": "a\"`, 1<<20)),
		bomb("parts", "multipart/form-data; boundary=b", "gzip",
			strings.Repeat("--b\r\nA: b\r\n\r\nkey\r\n", 1<<19)+"--b--"),
		bomb("fields", "application/x-www-form-urlencoded", "br", strings.Repeat("token=1&", 1<<20)),
		bomb("addresses", "text/plain", "zstd", strings.Repeat("a://x:y/", 1<<20)+"@"),
		bomb("an-archive", "application/gzip", "", string(Compress("gzip", bytes.Repeat([]byte("key=1\n"), 4<<20)))),
		bomb("an-archive-inside", "application/gzip", "gzip", string(Compress("gzip", make([]byte, 64<<20)))),
		bomb("zeros", "application/msgpack", "br", string(make([]byte, 64<<20))),
		bomb("a-list-in-a-text", "application/json", "gzip", `{"a":`+quoted("["+strings.Repeat("[],", 4<<20)+`"key"]`)+`}`),
	}
}

// Find returns what is left of secrets in a text, with a few bytes around each, also in texts of JSON, percent-encoded,
// in base64 and compressed with gzip.
func Find(text []byte) (left []string) {
	seen := map[string]bool{}
	var look func(text []byte, depth int)
	look = func(text []byte, depth int) {
		if depth > 6 || seen[string(text)] {
			return
		}
		seen[string(text)] = true
		left = append(left, around(text)...)
		for _, inner := range decoded(text) {
			look(inner, depth+1)
		}
	}
	for line := range bytes.Lines(text) {
		look(line, 0)
	}
	return left
}

// markers are those of secrets, as they are and in base64, where their neighbours decide on the outer letters.
var markers = func() (list [][]byte) {
	for _, marker := range []string{Marker, KeyMarker} {
		list = append(list, []byte(marker))
	}
	return list
}()

// around returns the places of markers.
func around(text []byte) (list []string) {
	for _, marker := range markers {
		for at := 0; ; {
			i := bytes.Index(text[at:], marker)
			if i < 0 {
				break
			}
			i += at
			list = append(list, string(text[max(0, i-60):min(len(text), i+60)]))
			at = i + len(marker)
		}
	}
	return list
}

var inBase64 = regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}={0,2}`)

// decoded returns what a text may stand for.
func decoded(text []byte) (list [][]byte) {
	var value any
	if json.Unmarshal(text, &value) == nil {
		list = append(list, texts(value)...)
	} else if bytes.Contains(text, []byte(`\u`)) {
		list = append(list, unpercented(text))
	}
	if bytes.IndexByte(text, '%') >= 0 {
		if plain, err := url.QueryUnescape(string(text)); err == nil && plain != string(text) {
			list = append(list, []byte(plain))
		} else {
			list = append(list, unpercented(text))
		}
	}
	if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		if r, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
			plain, _ := io.ReadAll(r) // as far as it can be read
			list = append(list, plain)
		}
	}
	for _, found := range inBase64.FindAll(text, -1) {
		found = bytes.TrimRight(found, "=")
		standard := strings.NewReplacer("-", "+", "_", "/").Replace(string(found))
		for cut := range min(4, len(standard)) { // it may begin anywhere
			part := standard[cut:]
			plain, _ := base64.RawStdEncoding.DecodeString(part[:len(part)/4*4])
			if bytes.Contains(plain, []byte(Marker)) || bytes.Contains(plain, []byte(KeyMarker)) ||
				bytes.HasPrefix(plain, []byte{0x1f, 0x8b}) {
				list = append(list, plain)
			}
		}
	}
	return list
}

// texts returns all texts in a value of JSON, names included.
func texts(value any) (list [][]byte) {
	switch value := value.(type) {
	case string:
		return [][]byte{[]byte(value)}
	case []any:
		for _, item := range value {
			list = append(list, texts(item)...)
		}
	case map[string]any:
		for name, item := range value {
			list = append(append(list, []byte(name)), texts(item)...)
		}
	}
	return list
}

var escape = regexp.MustCompile(`\\u00([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})`)

// unpercented undoes the escapes in a text that is not well-formed.
func unpercented(text []byte) []byte {
	return escape.ReplaceAllFunc(text, func(found []byte) []byte {
		plain, err := url.PathUnescape("%" + string(found[len(found)-2:]))
		if err != nil {
			return found
		}
		return []byte(plain)
	})
}
