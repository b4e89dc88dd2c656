package format

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// longestLength is more than the digits of a length and its colon.
const longestLength = 12

var flows = regexp.MustCompile(`^[0-9]{1,10}:[0-9]{1,2}:[a-z_]{2,40}[;,]`)

// isFlows recognises the flows that mitmproxy writes, one netstring with types behind the other.
func isFlows(h *record.Head) bool { return flows.Match(h.Text) }

func readFlows(in *record.Input, yield func(record.Raw, error) bool) bool {
	for !in.IsAtEnd() {
		place := in.Place()
		head, _ := in.Reader.Peek(longestLength)
		digits, _, _ := bytes.Cut(head, []byte{':'})
		n, err := strconv.ParseInt(string(digits), 10, 64)
		if len(head) == longestLength && err != nil || err == nil && n < 0 {
			return yield(record.Raw{},
				in.Problem(record.Malformed, fmt.Errorf("unexpected %.12q; want the length of a flow", head)))
		}
		_, _ = in.Take(int64(len(digits)) + 1)
		raw, short := in.Take(n + 1)
		var problem error
		switch {
		case errors.Is(short, record.ErrTooLarge):
			problem = &record.ReadError{Position: place, Kind: record.TooLarge, Err: short}
		case in.Err() != nil:
			return yield(record.Raw{}, in.Broken(in.Err()))
		case err != nil || short != nil:
			return yield(record.Raw{}, in.Problem(record.Truncated, errors.New("the recording ends within a flow")))
		}
		if !yield(record.Raw{Position: place, Bytes: raw, Decoder: decodeFlow}, problem) {
			return false
		}
	}
	return in.Err() == nil || yield(record.Raw{}, in.Broken(in.Err()))
}

func decodeFlow(r record.Raw) (record.Item, error) {
	v, err := new(tree.Builder).OfNetstring(r.Bytes[:len(r.Bytes)-1], r.Bytes[len(r.Bytes)-1], 0)
	if err != nil {
		return record.Item{}, r.Malformed(err)
	}
	if kind := v.Get("type").Text; kind != "http" {
		return record.Item{}, r.Malformed(fmt.Errorf("%w: a flow of type %.10q is not HTTP", record.ErrNotRecorded, kind))
	}
	request, response := v.Get("request"), v.Get("response")
	d := record.Draft{Method: request.Get("method").Text, URL: flowURL(request), Status: response.Get("status_code")}
	d.Request, d.Response = flowSide(request), flowSide(response)
	d.Start = record.ParseUnixSeconds(request.Get("timestamp_start").Text)
	if d.End = record.ParseUnixSeconds(response.Get("timestamp_end").Text); d.End.IsZero() {
		d.End = d.Start
	}
	return r.ItemOf(d)
}

// flowSide takes a message, whose body is as it was on the wire.
func flowSide(message tree.Value) record.Message {
	headers := recording.Headers{}
	for _, pair := range message.Get("headers").Items {
		if texts := pair.All(); len(texts) == 2 {
			headers = append(headers, [2]string{texts[0], texts[1]})
		}
	}
	content := message.Get("content")
	s := record.Message{Headers: headers, Body: record.Body{Bytes: []byte(content.Text)}}
	if content.Kind == tree.Null && message.Kind == tree.Object {
		s.Body.Doubt = record.DoubtMissing // it was passed on as a stream
	}
	return s
}

func flowURL(request tree.Value) string {
	scheme, host, port := request.Get("scheme").Text, request.Get("host").Text, request.Get("port").Text
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if !(scheme == "http" && port == "80") && !(scheme == "https" && port == "443") {
		host += ":" + port
	}
	return scheme + "://" + host + request.Get("path").Text
}
