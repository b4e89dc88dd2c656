package judge

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Credentials describes whether a request carried the credentials that its operation asks for.
type Credentials int

// States of credentials.
const (
	NotAsked Credentials = iota // the operation asks for none
	Present
	Withheld // the recording states that they were taken out, or hides them in full
	Absent   // there are none, but the server accepted the request
)

// credentialSchemes lists what an operation accepts as credentials.
func credentialSchemes(op *specs.Operation) []*openapi3.SecurityScheme {
	return documentedOf(op).schemes
}

// readSchemes returns the schemes of all alternatives. In a user's own document an alternative without schemes makes
// credentials optional (Security Requirement Object).
func readSchemes(op *specs.Operation) []*openapi3.SecurityScheme {
	var schemes []*openapi3.SecurityScheme
	for _, alternative := range op.Security() {
		if op.Document.IsUsers() && len(alternative) == 0 {
			return nil
		}
		schemes = append(schemes, alternative...)
	}
	return schemes
}

// takesPlatformKeys reports whether an operation wants the credentials of the platform: as the platform's documents
// say, or because the scheme of a user's version has the name of the platform's.
func takesPlatformKeys(op *specs.Operation, schemes []*openapi3.SecurityScheme) bool {
	d := op.Document
	isPlatforms := func(s *openapi3.SecurityScheme) bool {
		named := d.T.Components.SecuritySchemes[d.Brand.Scheme()]
		return s.Type == "apiKey" && headerOfScheme(s) == "Authorization" && named != nil && named.Value == s
	}
	return op.Embedded == op || !op.Interface.IsOwn() && slices.ContainsFunc(schemes, isPlatforms)
}

// judgeAuthScheme judges the scheme word of the Authorization header. A wrong one is a fault only if the server
// accepted it.
func (j *Judge) judgeAuthScheme(r *Result) {
	schemes := r.documented.schemes
	if len(schemes) == 0 {
		r.check(AuthScheme, report.Skipped)
		return
	}
	taken := r.Status() >= 200 && r.Status() < 300
	switch verdict, message := j.compareCredentials(r, schemes); {
	case message == "":
		r.Credentials = Present
		r.check(AuthScheme, verdict)
	case r.Operation().Interface == specs.Ingestion && r.Credentials != NotAsked: // what follows is another rule's
		r.Credentials = NotAsked
		r.check(AuthScheme, report.Skipped)
	case r.Credentials == Absent && !taken:
		r.Credentials = Present
		r.check(AuthScheme, report.Pass) // refused, or at least not taken
	case r.Credentials == Absent: // decided when the whole recording is known
	case verdict == report.Fail && !taken:
		r.check(AuthScheme, report.Pass)
	default:
		r.check(AuthScheme, verdict)
		r.Findings = append(r.Findings, j.SchemeFinding(r, verdict, message))
	}
}

// compareCredentials compares what the request carries with what the operation accepts. An empty message means that it
// fits.
func (j *Judge) compareCredentials(r *Result, schemes []*openapi3.SecurityScheme) (report.Verdict, string) {
	if !r.documented.takesPlatformKeys {
		if verdict, message, isShown := compareOwn(r, schemes); isShown {
			return verdict, message
		}
		return missing(r, schemes)
	}
	for _, s := range schemes {
		name := headerOfScheme(s)
		value := strings.TrimSpace(r.Item.Request.Headers.Value(name))
		if s.In == "query" && strings.Contains(r.Owner.Query, s.Name+"=") {
			return report.Pass, ""
		}
		if value == "" || !strings.EqualFold(name, "Authorization") {
			if value != "" {
				return report.Pass, ""
			}
			continue
		}
		return j.authorization(value, r.documented.bareKey)
	}
	return missing(r, schemes)
}

// missing notes that a request lacks credentials, which may have been removed.
func missing(r *Result, schemes []*openapi3.SecurityScheme) (report.Verdict, string) {
	if slices.ContainsFunc(schemes, func(s *openapi3.SecurityScheme) bool {
		name := headerOfScheme(s)
		return slices.ContainsFunc(r.Item.Redacted, func(what string) bool { return strings.EqualFold(name, what) })
	}) {
		r.Credentials = Withheld
		return report.Inconclusive, "the credentials were removed from the recording"
	}
	r.Credentials = Absent
	return report.Fail, "a request without credentials succeeded"
}

// compareOwn compares what a request carries with the alternatives of schemes of a user's own document, of which it
// must carry all of one. It reports false if there is nothing to compare.
func compareOwn(r *Result, schemes []*openapi3.SecurityScheme) (verdict report.Verdict, message string, isShown bool) {
	if r.ShowsCredentials() {
		return report.Pass, "", true
	}
	word, _, _ := strings.Cut(strings.TrimSpace(r.Item.Request.Headers.Value("Authorization")), " ")
	var documented []string
	for _, s := range schemes {
		if wanted := wordOfScheme(s); wanted != "" && !slices.Contains(documented, wanted) {
			documented = append(documented, wanted)
		}
	}
	switch {
	case word == "" || len(documented) == 0 || slices.ContainsFunc(schemes, func(s *openapi3.SecurityScheme) bool {
		return isVisible(s) && r.shows(s)
	}):
		return "", "", false
	case isStandIn(word):
		return report.Inconclusive, "the recording redacts the credentials in full, including the scheme", true
	}
	return report.Fail, fmt.Sprintf("credentials of scheme %q were accepted; documented: %s", word,
		strings.Join(documented, " or ")), true
}

// wordOfScheme returns the word before the credentials in Authorization, or the empty string if the scheme has none.
func wordOfScheme(s *openapi3.SecurityScheme) string {
	switch s.Type {
	case "http":
		return s.Scheme
	case "oauth2", "openIdConnect": // RFC 6750
		return "bearer"
	}
	return ""
}

// isVisible reports whether a recording shows credentials of a scheme, unlike those of mutual TLS.
func isVisible(s *openapi3.SecurityScheme) bool { return s.Type == "apiKey" || wordOfScheme(s) != "" }

// shows reports whether a request carries credentials of a scheme.
func (r *Result) shows(s *openapi3.SecurityScheme) bool {
	if wanted := wordOfScheme(s); wanted != "" {
		word, rest, _ := strings.Cut(strings.TrimSpace(r.Item.Request.Headers.Value("Authorization")), " ")
		isToken := s.Type != "http" && strings.EqualFold(word, "DPoP") // RFC 9449, 7.1
		return (strings.EqualFold(word, wanted) || isToken) && strings.TrimSpace(rest) != "" ||
			strings.EqualFold(wanted, "bearer") && inQueryOf(r, "access_token") // RFC 6750, 2.3
	}
	switch {
	case !isVisible(s):
		return true
	case s.In == "query":
		return inQueryOf(r, s.Name)
	case s.In == "cookie":
		header := r.Item.Request.Headers.Value("Cookie")
		return isRedacted(header) || slices.ContainsFunc(cookies(header), func(c *http.Cookie) bool {
			return c.Name == s.Name
		})
	}
	return r.Item.Request.Headers.Value(s.Name) != ""
}

// ShowsCredentials reports whether a request to a user's own interface carries all credentials that its operation wants
// together, by any of its alternatives.
func (r *Result) ShowsCredentials() bool {
	return slices.ContainsFunc(r.Operation().Security(), func(all []*openapi3.SecurityScheme) bool {
		return !slices.ContainsFunc(all, func(s *openapi3.SecurityScheme) bool { return !r.shows(s) })
	})
}

// HasPartOfCredentials reports whether a request to a user's own interface carries some of the credentials that its
// operation wants together (Security Requirement Object), and whether the recording would show the others. Tools remove
// Authorization and cookies from recordings, but hardly other headers and members of queries alone.
func (r *Result) HasPartOfCredentials() (some, others bool) {
	if r.Operation() == nil || r.documented.takesPlatformKeys {
		return false, false
	}
	for _, all := range r.Operation().Security() {
		isAny, isKept := false, true
		for _, s := range all {
			isAny = isAny || isVisible(s) && r.shows(s)
			isRemoved := s.Type != "apiKey" || s.In == "cookie" || strings.EqualFold(s.Name, "Authorization")
			isKept = isKept && (!isRemoved || r.shows(s))
		}
		some, others = some || isAny, others || isAny && isKept
	}
	return some, others
}

func inQueryOf(r *Result, name string) bool {
	query, _ := r.Query()
	return query.Get(name) != ""
}

func headerOfScheme(s *openapi3.SecurityScheme) string {
	switch {
	case s.Type == "apiKey" && s.In == "header":
		return s.Name
	case s.In == "cookie":
		return "Cookie"
	}
	return "Authorization"
}

// authorization judges the value of the header: the brand's scheme word, one space, a key; or, where the document says
// so, the bare key.
func (j *Judge) authorization(value string, bare bool) (report.Verdict, string) {
	word, key, found := strings.Cut(value, " ")
	isSchemed := strings.EqualFold(word, j.scheme)
	switch {
	case isSchemed && strings.TrimSpace(key) != "":
		return report.Pass, ""
	case isSchemed:
		return report.Fail, fmt.Sprintf("the scheme %s was accepted without a key", j.scheme)
	case !found && bare && (isUniqueStandIn(value) || !isStandIn(value)):
		return report.Pass, ""
	case isStandIn(word):
		return report.Inconclusive, "the recording redacts the credentials in full, including the scheme"
	case !found:
		return report.Fail, fmt.Sprintf("credentials without the scheme %s were accepted", j.scheme)
	}
	return report.Fail, fmt.Sprintf("credentials of scheme %q were accepted; documented: %s",
		wordOf(word, j.brand), j.scheme)
}

// SchemeFinding returns a finding on the credentials of an exchange.
func (j *Judge) SchemeFinding(r *Result, verdict report.Verdict, message string) report.Finding {
	op := r.Operation()
	severity := report.Notice
	provenance := specs.Documented
	if verdict == report.Fail {
		severity = report.SeverityOf(provenance, j.trust)
	}
	pointer, at := "/components/securitySchemes", "/request/headers/Authorization"
	for _, name := range slices.Sorted(maps.Keys(op.Document.T.Components.SecuritySchemes)) {
		scheme := op.Document.T.Components.SecuritySchemes[name].Value
		isSent := r.Credentials == Absent && !r.documented.takesPlatformKeys && r.shows(scheme)
		if !slices.Contains(r.documented.schemes, scheme) || isSent ||
			op.Embedded == op && headerOfScheme(scheme) != "Authorization" {
			continue
		}
		if pointer = join("/components/securitySchemes", name); scheme.Type == "apiKey" {
			at = join("/request", map[string]string{"query": "query", "cookie": "cookie"}[scheme.In], scheme.Name)
			if scheme.In == "header" {
				at = join("/request/headers", scheme.Name)
			}
		}
		break
	}
	return j.finding(r.Item.Number, op, report.Finding{
		Rule: AuthScheme, Severity: severity, Verdict: verdict, Message: message,
		Pointer: at, Spec: report.Spec{Pointer: pointer},
	})
}

// Credential is the key of a request, as far as the recording shows it.
type Credential struct {
	// Identity distinguishes keys, whatever interface and header they are sent in. It is empty if the request has none,
	// or if the recording has the same stand-in for different keys.
	Identity string

	Shown    bool // a header carries one
	Withheld bool // the recording states that one was taken out
}

// Credential reads the key of a request. Authorization comes before a header of the interface's own (documented).
func (r *Result) Credential() Credential {
	op := r.Operation()
	if op == nil {
		return Credential{}
	}
	headers := []string{"Authorization"}
	if own := op.Document.KeyHeader(); own != "" {
		headers = append(headers, own)
	}
	for _, name := range headers {
		if value := strings.TrimSpace(r.Item.Request.Headers.Value(name)); value != "" {
			schemed := name == "Authorization" && (!op.Document.BareKey() || strings.Contains(value, " "))
			scheme := op.Document.Brand.Scheme()
			if op.Interface.IsOwn() { // where any may be right, and none
				scheme = value[:max(0, strings.IndexByte(value, ' '))]
			}
			return Credential{Identity: keyIdentity(value, schemed, scheme), Shown: true}
		}
	}
	return Credential{Withheld: slices.ContainsFunc(r.Item.Redacted, func(what string) bool {
		return slices.ContainsFunc(headers, func(name string) bool { return strings.EqualFold(name, what) })
	})}
}

// keyIdentity returns the key alone, so that it is the same with the scheme, in a header of its own, and bare where
// that is allowed. A value of Authorization with no scheme, or with another one, has an identity of its own: what is
// known of it does not hold for the key that it may contain.
func keyIdentity(value string, schemed bool, scheme string) string {
	word, key, found := strings.Cut(value, " ")
	if key = strings.TrimSpace(key); !found || !schemed {
		word, key = "", value
	}
	isKnown := !schemed || strings.EqualFold(word, scheme)
	switch {
	case key == "", !isKnown && isStandIn(word), isSharedStandIn(key):
		return ""
	case isKnown:
		return key
	}
	return "malformed " + value
}
