package plant

import (
	"bytes"
	"net/http"
	"strings"
)

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
