package capture

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"svc.example/understudy/specs/recording"
)

// The lists of interactions, as go-vcr and VCR.py name it, and as Ruby VCR does.
const (
	interactions     = "interactions"
	httpInteractions = "http_interactions"
)

func decodeJSONInteraction(r Record) (Item, error) {
	v, err := parseJSON(r.raw)
	if err != nil {
		return Item{}, r.malformed(err)
	}
	return r.interaction(v)
}

func (r Record) malformed(err error) error {
	kind := Malformed
	if errors.Is(err, errNotRecorded) {
		kind = Skipped
	}
	return &ReadError{Place: r.Place, Kind: kind, Err: fmt.Errorf("interaction %d: %w", r.Entry, err)}
}

// interaction makes an item of what the tools write, which differs in names and in how much is nested.
func (r Record) interaction(v value) (Item, error) {
	request, response := v.get("request"), v.get("response")
	d := draft{
		method: request.get("method").symbol(), url: addressOf(request),
		request: side{headers: headersOf(request.get("headers")), length: request.get("content_length")},
	}
	if at := timeOf(v.get("recorded_at").text); !at.IsZero() {
		d.start, d.end = at, at // of the answer, in seconds; its start is not recorded
	}
	if host := request.get("host").text; host != "" && strings.HasPrefix(d.url, "/") {
		d.request.headers = append(d.request.headers, [2]string{"Host", host})
	}
	d.request.body = heldIn(request)
	if d.request.body.isEmpty() {
		d.request.body = heldForm(&d, request)
	}
	if response.kind != null {
		d.status = statusOf(response)
		d.response = side{
			headers: headersOf(response.get("headers")), body: heldIn(response), length: response.get("content_length"),
			isUncompressed: response.get("uncompressed").text == "true",
		}
	}
	return r.itemOf(d)
}

// addressOf returns the URL, as go-vcr names it or as the others do.
func addressOf(request value) string {
	if address := request.get("url"); address.kind == scalar {
		return address.text
	}
	if address := request.get("uri"); address.kind == scalar {
		return address.text
	}
	return partsOf(request)
}

// heldForm takes the fields of a form whose body was read before it could be recorded. A request of another media type
// has fields as well: go-vcr takes them from the query.
func heldForm(d *draft, request value) held {
	fields := request.get("form")
	if posted := request.get("post_fields"); posted.kind == object { // php-vcr's, which have nothing of the query
		return held{bytes: formOf(posted, nil), isUnsized: true}
	}
	switch mediaType, _, _ := mime.ParseMediaType(d.request.headers.Value("Content-Type")); {
	case fields.kind != object || len(fields.keys) == 0 || strings.EqualFold(d.method, http.MethodGet):
		return held{}
	case mediaType == "application/x-www-form-urlencoded":
		return held{bytes: formOf(fields, queryOf(d.url))}
	case mediaType == "multipart/form-data":
		return held{doubt: "the recording has the fields of the body, not its bytes"}
	}
	return held{}
}

func queryOf(address string) url.Values {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return u.Query()
}

// statusOf is the status where go-vcr has it, VCR.py and Ruby VCR, VCR.py before 6 for httpx, or php-vcr.
func statusOf(response value) value {
	for _, path := range [][]string{{"code"}, {"status", "code"}, {"status_code"}} {
		if code := response.get(path...); code.kind == scalar {
			return code
		}
	}
	if code := response.get("status"); wholeStatus.MatchString(code.text) {
		return code
	}
	return value{}
}

// headersOf takes lists of values, and single ones as VCR.py and filters write them.
func headersOf(v value) recording.Headers {
	headers := recording.Headers{}
	if v.kind == list {
		return pairsOf(v, headers)
	}
	for i, name := range v.keys {
		for _, text := range v.items[i].all() {
			headers = append(headers, [2]string{name, text})
		}
	}
	return headers
}

// pairsOf takes pairs of a name and a value, however deep in lists: as the first versions of VCR.py write them.
func pairsOf(v value, headers recording.Headers) recording.Headers {
	if texts := v.all(); len(texts) == 2 && len(v.items) == 2 {
		return append(headers, [2]string{texts[0], texts[1]})
	}
	for _, item := range v.items {
		if item.kind == list {
			headers = pairsOf(item, headers)
		}
	}
	return headers
}

// formOf writes fields, without those of the query, which come behind others of the same name.
func formOf(v value, query url.Values) []byte {
	var parts []string
	for i, name := range v.keys {
		texts := v.items[i].all()
		for _, text := range texts[:max(0, len(texts)-len(query[name]))] {
			parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(text))
		}
	}
	return []byte(strings.Join(parts, "&"))
}
