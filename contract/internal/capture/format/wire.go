package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http/httputil"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// wire is a message of HTTP/1.1 as it was sent: httprr and Fiddler keep them so.
type wire struct {
	line    []string // the words of the first line, at most three
	headers recording.Headers
	body    record.Body
}

const maxHeaders = 10_000

func parseWire(raw []byte) (wire, error) {
	line, rest, _ := bytes.Cut(raw, []byte{'\n'})
	w := wire{line: strings.SplitN(strings.TrimSpace(string(line)), " ", 3), headers: recording.Headers{}}
	if len(w.line) < 2 {
		return w, fmt.Errorf("an HTTP message begins with %.40q", w.line[0])
	}
	for len(w.headers) < maxHeaders {
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		text := strings.TrimRight(string(line), "\r")
		if text == "" {
			w.body = record.Body{Bytes: rest}
			if strings.EqualFold(w.headers.Value("Transfer-Encoding"), "chunked") {
				w.body = unchunked(rest)
			}
			return w, nil
		}
		name, value, found := strings.Cut(text, ":")
		if !found {
			return w, fmt.Errorf("%.40q is not a header", text)
		}
		w.headers = append(w.headers, [2]string{name, strings.TrimSpace(value)})
	}
	return w, errors.New("an HTTP message has too many headers")
}

// unchunked joins the chunks of a body. A tool may have done so before, and left the header.
func unchunked(raw []byte) record.Body {
	body, err := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(raw)))
	switch {
	case err == nil:
		return record.Body{Bytes: body}
	case len(body) == 0:
		return record.Body{Bytes: raw}
	}
	return record.Body{Bytes: body, Doubt: record.DoubtTruncated}
}

// ofWire makes a draft of a request and a response, which may be missing.
func ofWire(request, response []byte) (d record.Draft, err error) {
	sent, err := parseWire(request)
	if err != nil {
		return d, fmt.Errorf("its request: %w", err)
	}
	d = record.Draft{
		Method: sent.line[0], URL: sent.line[1],
		Request: record.Message{Headers: sent.headers, Body: sent.body},
	}
	if len(bytes.TrimSpace(response)) == 0 {
		return d, nil
	}
	got, err := parseWire(response)
	if err != nil {
		return d, fmt.Errorf("its response: %w", err)
	}
	d.Status = tree.Value{Kind: tree.Scalar, Text: got.line[1]}
	d.Response = record.Message{Headers: got.headers, Body: got.body}
	return d, nil
}
