package judge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/report"
)

// judgeHeaders judges the documented headers of a response. They are judged apart from its body, since the engine would
// report only one of the two.
func (j *Judge) judgeHeaders(r *Result, m *message) {
	if len(m.documented.Headers) == 0 {
		return
	}
	faults := j.headerFaults(m)
	if len(faults.list) == 0 && faults.doubt == "" {
		r.check(Schema, report.Pass)
		return
	}
	o := &judgement{}
	results := engineResults{
		kin: faults, pointer: m.pointer + "/headers", instance: "/response/headers",
		found: func(path []string) string { return j.foundHeader(m, path[0]) },
	}
	j.addFaults(o, m, results, j.compareEngines(m, results))
	r.add(o.conclude())
}

// headerFaults returns what the engine finds wrong with the documented headers of a response.
func (j *Judge) headerFaults(m *message) (faults faultList) {
	var values http.Header
	for _, name := range m.documented.headers {
		header := m.documented.Headers[name].Value
		if header == nil || !m.op.Document.IsUsers() &&
			acceptsHeader(m.op.Document, &header.Parameter, response, name, m.headers) {
			continue
		}
		if values == nil {
			values = headerOf(m.headers)
		}
		pointer := join(m.pointer, "headers", name)
		switch {
		case strings.EqualFold(name, "Content-Type"), isHop(name, values), j.ignores(name):
		case header.Schema != nil && isTooMuch(m.op.Document, header.Schema.Value, values.Get(name)):
			faults.tooMuch(pointer)
		case m.op.Document.IsUsers() && faults.usersHeader(m, name, header, pointer):
		default:
			faults.list = append(faults.list, j.kinOnHeader(name, header, values, pointer)...)
		}
	}
	return faults
}

// usersHeader adds what is wrong with a header of a user's own document, as usersParameter does. Several lines are one
// list, but for cookies, of which each has its own (RFC 9110, 5.3).
func (f *faultList) usersHeader(m *message, name string, header *openapi3.Header, pointer string) (isJudged bool) {
	lines := linesOf(m.headers, name)
	groups := [][]string{lines}
	if strings.EqualFold(name, "Set-Cookie") && len(lines) > 1 {
		groups = slices.Collect(slices.Chunk(lines, 1))
	}
	isJudged = true
	for _, group := range groups {
		isJudged = isJudged && f.usersParameter(m.op.Document, namedHeader(name, header),
			inHeader(group, header.Explode != nil && *header.Explode), response, pointer)
	}
	return isJudged
}

func namedHeader(name string, header *openapi3.Header) *openapi3.Parameter {
	named := header.Parameter
	named.Name, named.In = name, openapi3.ParameterInHeader
	return &named
}

// isHop reports whether a header is missing that concerns a single connection: proxies remove it, and newer versions of
// the protocol do not have it.
func isHop(name string, values http.Header) bool {
	return strings.EqualFold(name, "Connection") && values.Get(name) == ""
}

// The headers of answers that no document of an interface needs to name: the standards of HTTP define them, or what
// stands between a client and a service adds them. A document declares what is the interface's own, such as limits of
// rates, numbers of items and marks of pages.

// standardFamilies lists how whole families of such headers begin, in lower case.
var standardFamilies = []string{
	"accept-",         // RFC 9110 and Client Hints: Accept-Ranges, Accept-Patch, Accept-CH
	"access-control-", // CORS
	"content-",        // RFC 9110, Content-Disposition, Content-Security-Policy, Content-Digest
	"cross-origin-",   // COOP, COEP, CORP
	"proxy-",          // RFC 9110
	"sec-",            // fetch metadata, WebSockets
	"surrogate-",      // Edge Architecture: Surrogate-Control, Surrogate-Key

	// Proxies, gateways and load balancers.
	"x-amz-", "x-amzn-", "x-azure-", "x-b3-", "x-cache", "x-envoy-", "x-forwarded-", "x-goog-", "x-kong-", "x-nginx-",
	"x-proxy-", "x-varnish",

	// Content delivery networks.
	"akamai-", "cdn-", "cf-", "fastly-", "x-akamai-", "x-cdn", "x-edge-", "x-fastly-", "x-vercel-",

	// Tracing.
	"x-cloud-trace-", "x-datadog-", "x-newrelic-", "x-trace-", "uber-trace-",

	"x-understudy-", // the mock
}

// standardHeaders holds single ones, in lower case and in their usual spelling.
var standardHeaders = setOf(
	// HTTP: RFC 9110, 9111 and 9112, cookies (6265), links (8288), alternative services (7838), keep-alive (2068),
	// prefer (7240), digests (9530), signatures (9421), limits of lives (8594, 9745), and HTTP/2's status as a header.
	"age", "allow", "alt-svc", "authentication-info", "cache-control", "cache-status", "connection", "date", "deprecation",
	"digest", "etag", "expires", "http2-settings", "keep-alive", "last-modified", "link", "location", "max-forwards",
	"p3p",
	"pragma", "preference-applied", "refresh", "repr-digest", "retry-after", "server", "set-cookie", "set-cookie2",
	"signature",
	"signature-input", "status", "sunset", "te", "trailer", "transfer-encoding", "upgrade", "vary", "via",
	"want-content-digest",
	"want-repr-digest", "warning", "www-authenticate",

	// Security and what browsers may do.
	"clear-site-data", "critical-ch", "expect-ct", "feature-policy", "nel", "origin-agent-cluster", "permissions-policy",
	"public-key-pins", "referrer-policy", "report-to", "reporting-endpoints", "service-worker-allowed", "sourcemap",
	"strict-transport-security", "timing-allow-origin", "x-content-type-options", "x-dns-prefetch-control",
	"x-download-options", "x-frame-options", "x-permitted-cross-domain-policies", "x-robots-tag", "x-ua-compatible",
	"x-xss-protection",

	// Tracing: W3C Trace Context, and names that frameworks give to one request.
	"b3", "correlation-id", "request-id", "server-timing", "traceparent", "traceresponse", "tracestate",
	"x-correlation-id",
	"x-request-id", "x-request-start", "x-response-time", "x-runtime", "x-trace", "x-transaction-id",

	// Servers, frameworks and proxies that name themselves.
	"forwarded", "x-accel-buffering", "x-aspnet-version", "x-aspnetmvc-version", "x-backend", "x-generator", "x-hits",
	"x-msedge-ref", "x-powered-by", "x-real-ip", "x-served-by", "x-server", "x-timer", "x-upstream", "x-via",
)

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name], set[http.CanonicalHeaderKey(name)] = true, true
	}
	return set
}
