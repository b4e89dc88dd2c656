package record

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// Draft is an exchange as an adapter finds it in a recording.
type Draft struct {
	Method, URL string
	Start, End  time.Time
	Request     Message
	Status      tree.Value // null or 0 when no response was seen
	Response    Message
}

// Message is one of the two messages.
type Message struct {
	Headers        recording.Headers
	Body           Body
	Length         tree.Value // of the body, if the tool keeps it beside the headers
	IsUncompressed bool       // the length is of the body as it was compressed
}

// ItemOf makes an item of a draft. All adapters but that of HTTP Archives end here.
func (r Raw) ItemOf(d Draft) (Item, error) {
	method := strings.ToUpper(d.Method)
	if method == "" || d.URL == "" {
		return Item{}, r.Malformed(errors.New("it has no request with a method and a url or uri"))
	}
	item := Item{Position: r.Position, RequestSize: -1, ResponseSize: -1, Exchange: &recording.Exchange{
		Start: d.Start, End: d.End,
		Request: recording.Request{Method: method, URL: d.URL, Headers: d.Request.Headers},
	}}
	item.Request.Body, item.RequestDoubt, item.RequestSize = d.Request.settled()
	if d.Status.Kind == tree.Null || d.Status.Text == "0" {
		return item, nil
	}
	status, err := strconv.Atoi(d.Status.Text)
	if err != nil || status < 100 || status > 999 {
		return Item{}, r.Malformed(fmt.Errorf("its response has the status %.40q: want a number such as 200", d.Status.Text))
	}
	item.Response = &recording.Response{Status: status, Headers: d.Response.Headers}
	if status == http.StatusNoContent || status == http.StatusNotModified || method == http.MethodHead {
		item.ResponseSize = 0
		return item, nil
	}
	item.Response.Body, item.ResponseDoubt, item.ResponseSize = d.Response.settled()
	return item, nil
}

// OrAt returns a draft with the address of the request if the recording has only its path: the address that the tool
// has by default.
func (d Draft) OrAt(address string) Draft {
	if strings.HasPrefix(d.URL, "/") && d.Request.Headers.Value("Host") == "" {
		d.URL = address + d.URL
	}
	return d
}

// settled returns the body, the doubt that its length leaves, and its size on the wire.
func (s Message) settled() (body *recording.Body, doubt string, size int64) {
	declared := ContentLength(s.Headers, s.Length)
	if s.IsUncompressed {
		declared = -1
	}
	doubt, size = s.Body.judgeLength(declared, s.Headers)
	if len(s.Body.Bytes) > 0 {
		body = &recording.Body{Bytes: s.Body.Bytes}
	}
	return body, doubt, size
}
