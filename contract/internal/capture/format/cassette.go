package format

import (
	"bytes"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// The lists of interactions, as go-vcr and VCR.py name it, and as Ruby VCR does.
const (
	interactions     = "interactions"
	httpInteractions = "http_interactions"
)

func decodeJSONInteraction(r record.Raw) (record.Item, error) {
	v, err := record.ParseJSON(r.Bytes)
	if err != nil {
		return record.Item{}, r.Malformed(err)
	}
	return interaction(r, v)
}

// interaction makes an item of what the tools write, which differs in names and in how much is nested.
func interaction(r record.Raw, v tree.Value) (record.Item, error) {
	request, response := v.Get("request"), v.Get("response")
	d := record.Draft{
		Method: request.Get("method").Symbol(), URL: addressOf(request),
		Request: record.Message{Headers: headersOf(request.Get("headers")), Length: request.Get("content_length")},
	}
	if at := record.ParseTime(v.Get("recorded_at").Text); !at.IsZero() {
		d.Start, d.End = at, at // of the answer, in seconds; its start is not recorded
	}
	if host := request.Get("host").Text; host != "" && strings.HasPrefix(d.URL, "/") {
		d.Request.Headers = append(d.Request.Headers, [2]string{"Host", host})
	}
	d.Request.Body = record.BodyIn(request)
	if d.Request.Body.IsEmpty() {
		d.Request.Body = heldForm(&d, request)
	}
	if response.Kind != tree.Null {
		d.Status = statusOf(response)
		d.Response = record.Message{
			Headers: headersOf(response.Get("headers")), Body: record.BodyIn(response), Length: response.Get("content_length"),
			IsUncompressed: response.Get("uncompressed").Text == "true",
		}
		if response.Get("binary").Text == "true" {
			d.Response.Body = heldTerm(response.Get("body").Text)
		}
	}
	return r.ItemOf(d)
}

// heldTerm takes a body that ExVCR has written as an Erlang term, a binary, in base64.
func heldTerm(text string) record.Body {
	const head = "\x83m" // and the length of the binary in four bytes
	body := heldBase64(text)
	if term, isBinary := bytes.CutPrefix(body.Bytes, []byte(head)); isBinary && len(term) >= 4 {
		return record.Body{Bytes: term[4:]}
	}
	return record.Body{Doubt: record.DoubtEncoding}
}

// addressOf returns the URL, as go-vcr names it or as the others do.
func addressOf(request tree.Value) string {
	if address := request.Get("url"); address.Kind == tree.Scalar {
		return address.Text
	}
	if address := request.Get("uri"); address.Kind == tree.Scalar {
		return address.Text
	}
	return partsOf(request)
}

// heldForm takes the fields of a form whose body was read before it could be recorded. A request of another media type
// has fields as well: go-vcr takes them from the query.
func heldForm(d *record.Draft, request tree.Value) record.Body {
	fields := request.Get("form")
	if posted := request.Get("post_fields"); posted.Kind == tree.Object { // php-vcr's, which have nothing of the query
		return record.Body{Bytes: formOf(posted, nil), IsUnsized: true}
	}
	switch mediaType, _, _ := mime.ParseMediaType(d.Request.Headers.Value("Content-Type")); {
	case fields.Kind != tree.Object || len(fields.Keys) == 0 || strings.EqualFold(d.Method, http.MethodGet):
		return record.Body{}
	case mediaType == "application/x-www-form-urlencoded":
		return record.Body{Bytes: formOf(fields, queryOf(d.URL))}
	case mediaType == "multipart/form-data":
		return record.Body{Doubt: "the recording has the fields of the body, not its bytes"}
	}
	return record.Body{}
}

func queryOf(address string) url.Values {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return u.Query()
}

// statusOf is the status where go-vcr has it, VCR.py and Ruby VCR, VCR.py before 6 for httpx, or php-vcr.
func statusOf(response tree.Value) tree.Value {
	for _, path := range [][]string{{"code"}, {"status", "code"}, {"status_code"}} {
		if code := response.Get(path...); code.Kind == tree.Scalar {
			return code
		}
	}
	if code := response.Get("status"); wholeStatus.MatchString(code.Text) {
		return code
	}
	return tree.Value{}
}

// headersOf takes lists of values, and single ones as VCR.py and filters write them.
func headersOf(v tree.Value) recording.Headers {
	headers := recording.Headers{}
	if v.Kind == tree.List {
		return pairsOf(v, headers)
	}
	for i, name := range v.Keys {
		for _, text := range v.Items[i].All() {
			headers = append(headers, [2]string{name, text})
		}
	}
	return headers
}

// pairsOf takes pairs of a name and a value, however deep in lists: as the first versions of VCR.py write them.
func pairsOf(v tree.Value, headers recording.Headers) recording.Headers {
	if texts := v.All(); len(texts) == 2 && len(v.Items) == 2 {
		return append(headers, [2]string{texts[0], texts[1]})
	}
	for _, item := range v.Items {
		if item.Kind == tree.List {
			headers = pairsOf(item, headers)
		}
	}
	return headers
}

// formOf writes fields, without those of the query, which come behind others of the same name.
func formOf(v tree.Value, query url.Values) []byte {
	var parts []string
	for i, name := range v.Keys {
		texts := v.Items[i].All()
		for _, text := range texts[:max(0, len(texts)-len(query[name]))] {
			parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(text))
		}
	}
	return []byte(strings.Join(parts, "&"))
}
