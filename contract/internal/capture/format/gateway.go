package format

import (
	"net/http"
	"net/textproto"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

const doubtGateway = "a gateway log does not contain bodies"

// isKong recognises the lines of Kong's file-log and http-log.
func isKong(h *record.Head) bool {
	return h.Begins("{") && h.HasAny("/request/uri", "/request/url") && h.Has("/request/method") &&
		h.HasAny("/latencies", "/started_at", "/client_ip")
}

func readKong(in *record.Input, yield func(record.Raw, error) bool) bool {
	return readLines(in, inJSON(decodeKong), yield)
}

func decodeKong(_ record.Raw, v tree.Value) (record.Draft, error) {
	request, response := v.Get("request"), v.Get("response")
	d := record.Draft{Method: request.Get("method").Text, URL: orElse(request.Get("url").Text, request.Get("uri").Text)}
	if !strings.Contains(d.URL, "?") {
		d.URL = withQuery(d.URL, headersOf(request.Get("querystring")))
	}
	d.Status = response.Get("status")
	d.Request.Headers, d.Response.Headers = headersOf(request.Get("headers")), headersOf(response.Get("headers"))
	if d.Start = record.ParseUnixMilliseconds(v.Get("started_at").Text); !d.Start.IsZero() {
		d.End = d.Start.Add(record.ParseMilliseconds(v.Get("latencies", "request").Text))
	}
	return withoutBodies(d).OrAt("http://localhost:8000"), nil
}

// withoutBodies puts the bodies in doubt that the exchange may have had.
func withoutBodies(d record.Draft) record.Draft {
	if d.Request.Body.IsEmpty() && d.Method != http.MethodGet && d.Method != http.MethodHead {
		d.Request.Body.Doubt = doubtGateway
	}
	d.Response.Body.Doubt = doubtGateway
	return d
}

// The names that access logs commonly have for the same.
var (
	methodNames  = []string{"request_method", "method", ":method", "http_method", "verb"}
	addressNames = []string{"request_uri", "uri", "url", "path", ":path", "request_path"}
	statusNames  = []string{"status", "status_code", "response_status", "response_code", "code"}
	hostNames    = []string{"http_host", "host", "vhost", "server_name", "authority", ":authority"}
	schemeNames  = []string{"scheme", ":scheme", "request_scheme"}
	queryNames   = []string{"query_string", "query", "args"}
	timeNames    = []string{"time_iso8601", "@timestamp", "timestamp", "time", "time_local", "msec"}
)

// isAccessLog recognises lines of nginx and Apache in JSON, whose fields are named as those who set them up liked.
func isAccessLog(h *record.Head) bool {
	isNamed := func(names []string) bool {
		for _, name := range names {
			if kind := h.Members["/"+name]; kind == '"' || kind == '0' {
				return true
			}
		}
		return false
	}
	return h.Begins("{") && h.First != "\n" && isNamed(statusNames) &&
		(h.Members["/request"] == '"' || isNamed(methodNames) && isNamed(addressNames))
}

func readAccessLog(in *record.Input, yield func(record.Raw, error) bool) bool {
	return readLines(in, inJSON(decodeAccess), yield)
}

func decodeAccess(_ record.Raw, v tree.Value) (record.Draft, error) {
	d := record.Draft{
		Method: firstOf(v, methodNames).Text, URL: firstOf(v, addressNames).Text,
		Status: firstOf(v, statusNames),
	}
	words := strings.Fields(v.Get("request").Text) // GET /a HTTP/1.1, or only the path
	if len(words) > 1 {
		d.Method, d.URL = words[0], words[1]
	} else if d.URL == "" && len(words) == 1 {
		d.URL = words[0]
	}
	if query := strings.TrimPrefix(firstOf(v, queryNames).Text, "?"); query != "" && query != "-" &&
		!strings.Contains(d.URL, "?") {
		d.URL += "?" + query
	}
	d.Request.Headers, d.Response.Headers = loggedHeaders(v, "http_"), loggedHeaders(v, "sent_http_")
	if body := v.Get("request_body"); body.Text != "" && body.Text != "-" {
		d.Request.Body = record.TextBody(body.Text)
	}
	d.Request.Headers = typed(d.Request.Headers, strings.TrimPrefix(v.Get("content_type").Text, "-"))
	onHost(&d, firstOf(v, schemeNames).Text, firstOf(v, hostNames).Text)
	d.Start = loggedTime(firstOf(v, timeNames).Text)
	d.End = d.Start
	if took := record.ParseMilliseconds(v.Get("request_time").Text); !d.Start.IsZero() {
		d.Start = d.End.Add(-took * 1000) // it is in seconds, and the time is that of the answer
	}
	if began := loggedTime(v.Get("start_time").Text); d.Start.IsZero() && !began.IsZero() { // as Envoy has it
		d.Start, d.End = began, began.Add(record.ParseMilliseconds(v.Get("duration").Text))
	}
	return withoutBodies(d).OrAt("http://localhost"), nil
}

// onHost completes an address that is only a path.
func onHost(d *record.Draft, scheme, host string) {
	switch {
	case host == "" || host == "-" || !strings.HasPrefix(d.URL, "/"):
	case scheme != "":
		d.URL = scheme + "://" + host + d.URL
	case d.Request.Headers.Value("Host") == "":
		d.Request.Headers = append(d.Request.Headers, [2]string{"Host", host})
	}
}

// firstOf returns the first of the members that has a text.
func firstOf(v tree.Value, names []string) tree.Value {
	for _, name := range names {
		if member := v.Get(name); member.Kind == tree.Scalar {
			return member
		}
	}
	return tree.Value{}
}

// loggedHeaders returns the headers that nginx has as variables, such as http_user_agent.
func loggedHeaders(v tree.Value, prefix string) recording.Headers {
	headers := recording.Headers{}
	for i, key := range v.Keys {
		name, found := strings.CutPrefix(key, prefix)
		if text := v.Items[i].Text; found && text != "" && text != "-" && name != "method" {
			headers = append(headers, [2]string{textproto.CanonicalMIMEHeaderKey(strings.ReplaceAll(name, "_", "-")), text})
		}
	}
	return headers
}

// loggedTime reads a time as servers write it: also [10/Oct/2000:13:55:36 -0700], and seconds since 1970.
func loggedTime(text string) time.Time {
	text = strings.Trim(text, "[] ")
	if at, err := time.Parse("02/Jan/2006:15:04:05 -0700", text); err == nil {
		return at
	}
	if at := record.ParseTime(text); !at.IsZero() {
		return at
	}
	return record.ParseUnixSeconds(text)
}
