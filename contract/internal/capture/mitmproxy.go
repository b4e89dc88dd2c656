package capture

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"svc.example/understudy/specs/recording"
)

// longestLength is more than the digits of a length and its colon.
const longestLength = 12

var flows = regexp.MustCompile(`^[0-9]{1,10}:[0-9]{1,2}:[a-z_]{2,40}[;,]`)

// isFlows recognises the flows that mitmproxy writes, one netstring with types behind the other.
func isFlows(h *head) bool { return flows.Match(h.text) }

func readFlows(in *input, yield func(Record, error) bool) bool {
	for !in.isAtEnd() {
		place := in.place()
		head, _ := in.r.Peek(longestLength)
		digits, _, _ := bytes.Cut(head, []byte{':'})
		n, err := strconv.ParseInt(string(digits), 10, 64)
		if len(head) == longestLength && err != nil || err == nil && n < 0 {
			return yield(Record{}, in.problem(Malformed, fmt.Errorf("unexpected %.12q; want the length of a flow", head)))
		}
		_, _ = in.take(int64(len(digits)) + 1)
		raw, short := in.take(n + 1)
		var problem error
		switch {
		case errors.Is(short, errTooLarge):
			problem = &ReadError{Place: place, Kind: TooLarge, Err: short}
		case in.failed() != nil:
			return yield(Record{}, in.broken(in.failed()))
		case err != nil || short != nil:
			return yield(Record{}, in.problem(Truncated, errors.New("the recording ends within a flow")))
		}
		if !yield(Record{Place: place, raw: raw, decode: decodeFlow}, problem) {
			return false
		}
	}
	return in.failed() == nil || yield(Record{}, in.broken(in.failed()))
}

func decodeFlow(r Record) (Item, error) {
	v, err := new(tree).ofNetstring(r.raw[:len(r.raw)-1], r.raw[len(r.raw)-1], 0)
	if err != nil {
		return Item{}, r.malformed(err)
	}
	if kind := v.get("type").text; kind != "http" {
		return Item{}, r.malformed(fmt.Errorf("%w: a flow of type %.10q is not HTTP", errNotRecorded, kind))
	}
	request, response := v.get("request"), v.get("response")
	d := draft{method: request.get("method").text, url: flowURL(request), status: response.get("status_code")}
	d.request, d.response = flowSide(request), flowSide(response)
	d.start = unixSeconds(request.get("timestamp_start").text)
	if d.end = unixSeconds(response.get("timestamp_end").text); d.end.IsZero() {
		d.end = d.start
	}
	return r.itemOf(d)
}

// flowSide takes a message, whose body is as it was on the wire.
func flowSide(message value) side {
	headers := recording.Headers{}
	for _, pair := range message.get("headers").items {
		if texts := pair.all(); len(texts) == 2 {
			headers = append(headers, [2]string{texts[0], texts[1]})
		}
	}
	content := message.get("content")
	s := side{headers: headers, body: held{bytes: []byte(content.text)}}
	if content.kind == null && message.kind == object {
		s.body.doubt = doubtMissing // it was passed on as a stream
	}
	return s
}

func flowURL(request value) string {
	scheme, host, port := request.get("scheme").text, request.get("host").text, request.get("port").text
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if !(scheme == "http" && port == "80") && !(scheme == "https" && port == "443") {
		host += ":" + port
	}
	return scheme + "://" + host + request.get("path").text
}
