package capture

import (
	"net/http"
	"net/textproto"
	"strings"
	"time"

	"svc.example/understudy/specs/recording"
)

const doubtGateway = "a gateway log does not contain bodies"

// isKong recognises the lines of Kong's file-log and http-log.
func isKong(h *head) bool {
	return h.begins("{") && h.hasAny("/request/uri", "/request/url") && h.has("/request/method") &&
		h.hasAny("/latencies", "/started_at", "/client_ip")
}

func readKong(in *input, yield func(Record, error) bool) bool {
	return readLines(in, inJSON(decodeKong), yield)
}

func decodeKong(_ Record, v value) (draft, error) {
	request, response := v.get("request"), v.get("response")
	d := draft{method: request.get("method").text, url: orElse(request.get("url").text, request.get("uri").text)}
	if !strings.Contains(d.url, "?") {
		d.url = withQuery(d.url, headersOf(request.get("querystring")))
	}
	d.status = response.get("status")
	d.request.headers, d.response.headers = headersOf(request.get("headers")), headersOf(response.get("headers"))
	if d.start = unixMilliseconds(v.get("started_at").text); !d.start.IsZero() {
		d.end = d.start.Add(milliseconds(v.get("latencies", "request").text))
	}
	return d.withoutBodies().orAt("http://localhost:8000"), nil
}

// withoutBodies puts the bodies in doubt that the exchange may have had.
func (d draft) withoutBodies() draft {
	if d.request.body.isEmpty() && d.method != http.MethodGet && d.method != http.MethodHead {
		d.request.body.doubt = doubtGateway
	}
	d.response.body.doubt = doubtGateway
	return d
}

// The names that access logs commonly have for the same.
var (
	methodNames  = []string{"request_method", "method", "http_method", "verb"}
	addressNames = []string{"request_uri", "uri", "url", "path", "request_path"}
	statusNames  = []string{"status", "status_code", "response_status", "response_code", "code"}
	hostNames    = []string{"http_host", "host", "vhost", "server_name"}
	schemeNames  = []string{"scheme", "request_scheme"}
	queryNames   = []string{"query_string", "query", "args"}
	timeNames    = []string{"time_iso8601", "@timestamp", "timestamp", "time", "time_local", "msec"}
)

// isAccessLog recognises lines of nginx and Apache in JSON, whose fields are named as those who set them up liked.
func isAccessLog(h *head) bool {
	isNamed := func(names []string) bool {
		for _, name := range names {
			if kind := h.members["/"+name]; kind == '"' || kind == '0' {
				return true
			}
		}
		return false
	}
	return h.begins("{") && h.first != "\n" && isNamed(statusNames) &&
		(h.members["/request"] == '"' || isNamed(methodNames) && isNamed(addressNames))
}

func readAccessLog(in *input, yield func(Record, error) bool) bool {
	return readLines(in, inJSON(decodeAccess), yield)
}

func decodeAccess(_ Record, v value) (draft, error) {
	d := draft{method: v.firstOf(methodNames).text, url: v.firstOf(addressNames).text, status: v.firstOf(statusNames)}
	words := strings.Fields(v.get("request").text) // GET /a HTTP/1.1, or only the path
	if len(words) > 1 {
		d.method, d.url = words[0], words[1]
	} else if d.url == "" && len(words) == 1 {
		d.url = words[0]
	}
	if query := strings.TrimPrefix(v.firstOf(queryNames).text, "?"); query != "" && query != "-" && !strings.Contains(d.url, "?") {
		d.url += "?" + query
	}
	d.request.headers, d.response.headers = loggedHeaders(v, "http_"), loggedHeaders(v, "sent_http_")
	if body := v.get("request_body"); body.text != "" && body.text != "-" {
		d.request.body = heldText(body.text)
	}
	d.request.headers = typed(d.request.headers, strings.TrimPrefix(v.get("content_type").text, "-"))
	d.onHost(v.firstOf(schemeNames).text, v.firstOf(hostNames).text)
	d.start = loggedTime(v.firstOf(timeNames).text)
	d.end = d.start
	if took := milliseconds(v.get("request_time").text); !d.start.IsZero() {
		d.start = d.end.Add(-took * 1000) // it is in seconds, and the time is that of the answer
	}
	return d.withoutBodies().orAt("http://localhost"), nil
}

// onHost completes an address that is only a path.
func (d *draft) onHost(scheme, host string) {
	switch {
	case host == "" || host == "-" || !strings.HasPrefix(d.url, "/"):
	case scheme != "":
		d.url = scheme + "://" + host + d.url
	case d.request.headers.Value("Host") == "":
		d.request.headers = append(d.request.headers, [2]string{"Host", host})
	}
}

// firstOf returns the first of the members that has a text.
func (v value) firstOf(names []string) value {
	for _, name := range names {
		if member := v.get(name); member.kind == scalar {
			return member
		}
	}
	return value{}
}

// loggedHeaders returns the headers that nginx has as variables, such as http_user_agent.
func loggedHeaders(v value, prefix string) recording.Headers {
	headers := recording.Headers{}
	for i, key := range v.keys {
		name, found := strings.CutPrefix(key, prefix)
		if text := v.items[i].text; found && text != "" && text != "-" && name != "method" {
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
	if at := timeOf(text); !at.IsZero() {
		return at
	}
	return unixSeconds(text)
}
