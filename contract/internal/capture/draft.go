package capture

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/specs/recording"
)

// draft is an exchange as an adapter finds it in a recording.
type draft struct {
	method, url string
	start, end  time.Time
	request     side
	status      value // null or 0 when no response was seen
	response    side
}

// side is one of the two messages.
type side struct {
	headers        recording.Headers
	body           held
	length         value // of the body, if the tool keeps it beside the headers
	isUncompressed bool  // the length is of the body as it was compressed
}

// itemOf makes an item of a draft. All adapters but that of HTTP Archives end here.
func (r Record) itemOf(d draft) (Item, error) {
	method := strings.ToUpper(d.method)
	if method == "" || d.url == "" {
		return Item{}, r.malformed(errors.New("it has no request with a method and a url or uri"))
	}
	item := Item{Place: r.Place, RequestSize: -1, ResponseSize: -1, Exchange: &recording.Exchange{
		Start: d.start, End: d.end,
		Request: recording.Request{Method: method, URL: d.url, Headers: d.request.headers},
	}}
	item.Request.Body, item.RequestDoubt, item.RequestSize = d.request.settled()
	if d.status.kind == null || d.status.text == "0" {
		return item, nil
	}
	status, err := strconv.Atoi(d.status.text)
	if err != nil || status < 100 || status > 999 {
		return Item{}, r.malformed(fmt.Errorf("its response has the status %.40q: want a number such as 200", d.status.text))
	}
	item.Response = &recording.Response{Status: status, Headers: d.response.headers}
	if status == http.StatusNoContent || status == http.StatusNotModified || method == http.MethodHead {
		item.ResponseSize = 0
		return item, nil
	}
	item.Response.Body, item.ResponseDoubt, item.ResponseSize = d.response.settled()
	return item, nil
}

// orAt returns a draft with the address of the request if the recording has only its path: the address that the tool
// has by default.
func (d draft) orAt(address string) draft {
	if strings.HasPrefix(d.url, "/") && d.request.headers.Value("Host") == "" {
		d.url = address + d.url
	}
	return d
}

// settled returns the body, the doubt that its length leaves, and its size on the wire.
func (s side) settled() (body *recording.Body, doubt string, size int64) {
	told := contentLength(s.headers, s.length)
	if s.isUncompressed {
		told = -1
	}
	doubt, size = s.body.against(told, s.headers)
	if len(s.body.bytes) > 0 {
		body = &recording.Body{Bytes: s.body.bytes}
	}
	return body, doubt, size
}
