package specdiff

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

func (c *comparison) operation() {
	if c.old.ID != c.new.ID {
		c.add(report.Warning, "operation-id-changed", place{},
			fmt.Sprintf("operationId %s → %s, by which generated clients name it", c.old.ID, c.new.ID), trace{what: called})
	}
	c.deprecated(place{}, c.old.Spec.Deprecated, c.new.Spec.Deprecated, trace{what: called})
	c.servers("operation-", serversOf(c.old), serversOf(c.new))
	c.security()
	c.parameters()
	c.requestBody()
	c.responses()
}

func (c *comparison) deprecated(at place, before, after bool, t trace) {
	switch {
	case after && !before:
		c.add(report.Notice, "deprecated", at, "deprecated", t)
	case before && !after:
		c.add(report.Notice, "not-deprecated", at, "no longer deprecated", t)
	}
}

func (c *comparison) servers(prefix string, old, changed []string) {
	for _, address := range old {
		if !slices.Contains(changed, address) {
			c.add(report.Error, prefix+"server-removed", place{}, "server "+address+" removed",
				trace{what: called})
		}
	}
	for _, address := range changed {
		if !slices.Contains(old, address) {
			c.add(report.Notice, prefix+"server-added", place{}, "server "+address+" added", trace{})
		}
	}
}

func addresses(servers openapi3.Servers) (list []string) {
	for _, server := range servers {
		list = append(list, server.URL)
	}
	return list
}

// serversOf lists the servers that an operation or its path has in place of the document's.
func serversOf(op *specs.Operation) []string {
	if op.Spec.Servers != nil {
		return addresses(*op.Spec.Servers)
	}
	if item := op.Document.T.Paths.Value(op.Template); item != nil {
		return addresses(item.Servers)
	}
	return nil
}

// security compares what credentials are asked for: each way to have them that was enough must still be.
func (c *comparison) security() {
	old, changed := credentials(c.old), credentials(c.new)
	// enough reports whether who has given credentials has all that one of the alternatives asks for
	enough := func(given []string, alternatives [][]string) bool {
		return slices.ContainsFunc(alternatives, func(wanted []string) bool {
			return !slices.ContainsFunc(wanted, func(one string) bool { return !slices.Contains(given, one) })
		})
	}
	for _, given := range old {
		if !enough(given, changed) {
			headers := headersOf(given)
			c.add(report.Error, "security-removed", place{}, listed(given)+": no longer enough",
				trace{what: sent, credentials: &headers})
		}
	}
	for _, given := range changed {
		if !enough(given, old) {
			c.add(report.Notice, "security-added", place{}, listed(given)+": now enough", trace{})
		}
	}
}

func listed(credentials []string) string {
	if len(credentials) == 0 {
		return "no credentials"
	}
	return strings.Join(credentials, ", ")
}

// headersOf lists the headers in which credentials are sent, as far as they are.
func headersOf(credentials []string) (headers []string) {
	for _, one := range credentials {
		name, isHeader := strings.CutPrefix(one, "apiKey header ")
		switch {
		case isHeader:
			headers = append(headers, name)
		case !strings.HasPrefix(one, "apiKey ") && !strings.HasPrefix(one, "scope ") && !strings.HasPrefix(one, "mutualTLS"):
			headers = append(headers, "Authorization")
		}
	}
	return headers
}

// credentials lists the alternatives of credentials that an operation takes: schemes and scopes.
func credentials(op *specs.Operation) [][]string {
	requirements := op.Document.T.Security
	if op.Spec.Security != nil {
		requirements = *op.Spec.Security
	}
	alternatives := [][]string{}
	for i, schemes := range op.Security() {
		var one []string
		for _, s := range schemes {
			one = append(one, strings.Join(strings.Fields(strings.Join([]string{s.Type, s.Scheme, s.In, s.Name}, " ")), " "))
		}
		for _, name := range slices.Sorted(maps.Keys(requirements[i])) {
			for _, scope := range requirements[i][name] {
				one = append(one, "scope "+scope)
			}
		}
		alternatives = append(alternatives, one)
	}
	if len(alternatives) == 0 {
		return [][]string{nil}
	}
	return alternatives
}

// parameters compares parameters by where they stand and their names: those of paths by their order, and headers
// without regard to case.
func (c *comparison) parameters() {
	old, changed := parametersOf(c.old), parametersOf(c.new)
	for _, key := range slices.Sorted(maps.Keys(old)) {
		before, after := old[key], changed[key]
		at := place{name: before.In + " " + before.Name}
		if after == nil {
			c.add(report.Error, "parameter-removed", at, "parameter removed", at.trace())
			continue
		}
		switch {
		case after.Required && !before.Required:
			c.add(report.Error, "parameter-required", at, "parameter now required", at.refused())
		case before.Required && !after.Required:
			c.add(report.Notice, "parameter-optional", at, "parameter now optional", trace{})
		}
		if a, b := styleOf(before), styleOf(after); a != b {
			c.add(report.Error, "parameter-style", at, a+" → "+b, at.trace())
		}
		c.deprecated(at, before.Deprecated, after.Deprecated, at.trace())
		c.schema(at, before.Schema, after.Schema)
		for _, media := range slices.Sorted(maps.Keys(before.Content)) {
			if after.Content[media] != nil {
				c.schema(at, before.Content[media].Schema, after.Content[media].Schema)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		after := changed[key]
		at := place{name: after.In + " " + after.Name}
		switch {
		case old[key] != nil:
		case after.Required:
			c.add(report.Error, "required-parameter-added", at, "required parameter added", at.refused())
		default:
			c.add(report.Notice, "parameter-added", at, "parameter added", trace{})
		}
	}
}

func parametersOf(op *specs.Operation) map[string]*openapi3.Parameter {
	list := map[string]*openapi3.Parameter{}
	for _, ref := range op.Parameters {
		key := ref.Value.In + " " + ref.Value.Name
		switch ref.Value.In {
		case openapi3.ParameterInPath:
			key = fmt.Sprintf("path %3d", slices.Index(op.PathParameters(), ref.Value.Name))
		case openapi3.ParameterInHeader:
			key = strings.ToLower(key)
		}
		list[key] = ref.Value
	}
	return list
}

// styleOf returns how a parameter is written.
func styleOf(p *openapi3.Parameter) string {
	if len(p.Content) > 0 {
		return "as " + strings.Join(slices.Sorted(maps.Keys(p.Content)), ", ")
	}
	s, err := p.SerializationMethod()
	if err != nil {
		return "style " + p.Style
	}
	return fmt.Sprintf("style %s, explode %t", s.Style, s.Explode)
}

func (c *comparison) requestBody() {
	at := place{name: "request"}
	before, after := bodyOf(c.old), bodyOf(c.new)
	switch {
	case before == nil && after == nil:
		return
	case after == nil:
		c.add(report.Error, "body-removed", at, "body removed",
			trace{what: sent, part: "*", aspect: coverage.RequestParts})
		return
	case before == nil && after.Required:
		c.add(report.Error, "required-body-added", at, "required body added", at.refused())
		return
	case before == nil:
		c.add(report.Notice, "body-added", at, "body added", trace{})
		return
	case after.Required && !before.Required:
		c.add(report.Error, "body-required", at, "body now required", at.refused())
	case before.Required && !after.Required:
		c.add(report.Notice, "body-optional", at, "body now optional", trace{})
	}
	c.content(at, before.Content, after.Content)
}

func bodyOf(op *specs.Operation) *openapi3.RequestBody {
	if op.Spec.RequestBody == nil {
		return nil
	}
	return op.Spec.RequestBody.Value
}

// content compares bodies, media type by media type.
func (c *comparison) content(at place, old, changed openapi3.Content) {
	for _, media := range slices.Sorted(maps.Keys(old)) {
		at.media = media
		if changed.Get(media) == nil {
			t := trace{what: sent, part: media, aspect: coverage.RequestParts}
			if at.isAnswer() {
				t = trace{what: shown, part: at.status + " " + media, status: at.status, aspect: coverage.ResponseParts}
			}
			c.add(report.Error, "media-type-removed", at, "media type "+media+" removed", t)
			continue
		}
		c.schema(at, old[media].Schema, changed.Get(media).Schema)
	}
	for _, media := range slices.Sorted(maps.Keys(changed)) {
		if old.Get(media) == nil {
			c.add(report.Notice, "media-type-added", at, "media type "+media+" added", trace{})
		}
	}
}

// responses compares answers by their status. What is documented for all, or for a range, stands for what is not
// documented alone.
func (c *comparison) responses() {
	old, changed := responsesOf(c.old), responsesOf(c.new)
	for _, status := range slices.Sorted(maps.Keys(old)) {
		at := place{name: status, status: status}
		before, after := old[status], covering(changed, status)
		if after != nil {
			c.headers(at, before.Headers, after.Headers)
			c.content(at, before.Content, after.Content)
			continue
		}
		c.add(loudOf(status, report.Error, report.Warning), "status-removed", at, "status removed",
			trace{what: shown, part: status + "*", status: status, aspect: coverage.ResponseParts})
	}
	for _, status := range slices.Sorted(maps.Keys(changed)) {
		if covering(old, status) == nil {
			c.add(loudOf(status, report.Warning, report.Notice), "status-added", place{name: status, status: status},
				"status added", trace{what: called})
		}
	}
}

// loudOf returns the severity of what becomes of a status: of success, or of others.
func loudOf(status string, success, others report.Severity) report.Severity {
	if status[0] == '2' {
		return success
	}
	return others
}

func responsesOf(op *specs.Operation) map[string]*openapi3.Response {
	list := map[string]*openapi3.Response{}
	if op.Spec.Responses == nil {
		return list
	}
	for status, ref := range op.Spec.Responses.Map() {
		if ref.Value != nil {
			list[status] = ref.Value
		}
	}
	return list
}

func covering(list map[string]*openapi3.Response, status string) *openapi3.Response {
	for _, key := range []string{status, status[:1] + "XX", "default"} {
		if list[key] != nil {
			return list[key]
		}
	}
	return nil
}

func (c *comparison) headers(at place, old, changed openapi3.Headers) {
	after := map[string]*openapi3.Header{}
	for name, ref := range changed {
		after[http.CanonicalHeaderKey(name)] = ref.Value
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		before, now := old[name].Value, after[http.CanonicalHeaderKey(name)]
		delete(after, http.CanonicalHeaderKey(name))
		at.name, at.header = at.status+" header "+name, name
		switch {
		case before == nil:
		case now == nil:
			c.add(report.Error, "header-removed", at, "header removed", at.trace())
		default:
			if before.Required && !now.Required {
				c.add(report.Error, "header-optional", at, "header now optional", at.trace())
			}
			c.schema(at, before.Schema, now.Schema)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		at.name = at.status + " header " + name
		c.add(report.Notice, "header-added", at, "header added", trace{})
	}
}

// statusOf returns the status of the old document that an answer has.
func statusOf(op *specs.Operation, status int) string {
	list, text := responsesOf(op), strconv.Itoa(status)
	for _, key := range []string{text, text[:1] + "XX", "default"} {
		if list[key] != nil {
			return key
		}
	}
	return text
}
