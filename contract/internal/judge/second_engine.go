package judge

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/body"
)

// secondOnBody judges a JSON body, or the JSON object that a form stands for. The engine cannot read others, and it
// passes forms unread. If it cannot load the operation, the first one judges alone. Known is the number of faults
// that one found.
func (j *Judge) secondOnBody(b *content, known int) (faults []fault, v vote) {
	kind := b.jsonHeader()
	if j.engine == nil || b.decoded.JSON == nil || kind == "" || !b.sampled && known == 0 {
		return nil, notAsked
	}
	if slices.ContainsFunc(b.decoded.Values(), func(value any) bool {
		return isTooMuch(b.op.Document, b.media.Schema.Value, value)
	}) {
		return nil, notAsked
	}
	text := b.excerpt(known)
	if text == nil || b.op.Document.IsUsers() && largeNumber.Match(text) {
		return nil, notAsked
	}
	s, err := schemasOf(j.engine, b.op)
	if err != nil {
		return nil, notAsked
	}
	var reported []engine.Fault
	if b.side == request {
		reported, err = s.RequestBody(kind, text)
	} else {
		reported, err = s.ResponseBody(b.status, kind, text)
	}
	if err != nil {
		return nil, lost
	}
	return b.withPlaces(secondFaults(reported)), voted
}

// largeNumber matches a number that the engine, which knows those of 64 bits alone, may take for another one.
var largeNumber = regexp.MustCompile(`[0-9]{16}|[0-9][eE]\+?[0-9]{3}`)

// jsonHeader returns the Content-Type by which the engine finds the schema of the body, or the empty string if it
// cannot.
func (b *content) jsonHeader() string {
	if kind := body.MediaType(b.kind); body.IsJSON(kind) && b.content[kind] == b.media {
		return b.kind
	}
	return ""
}

// withPlaces adds the place in the document to faults, and takes values out of their messages, since they may be
// secret.
func (b *content) withPlaces(faults []fault) []fault {
	for i := range faults {
		f := &faults[i]
		schemas := b.schemasAt(f.path)
		if len(schemas) > 0 {
			f.pointer = schemas[0].pointer
			if f.keyword == "format" {
				f.format = schemas[0].schema.Format
			}
		}
		if text, _ := b.valueAt(f.path).(string); text != "" {
			f.message = strings.ReplaceAll(f.message, text, "…")
		}
	}
	return faults
}

func (j *Judge) secondOnParameters(p *parameters, known int) ([]fault, vote) {
	if j.engine == nil || len(p.op.Parameters) == 0 || p.anyRedacted() || !p.sampled && known == 0 {
		return nil, notAsked
	}
	if slices.ContainsFunc(p.op.Parameters, func(ref *openapi3.ParameterRef) bool { return p.isTooMuch(ref.Value) }) {
		return nil, notAsked
	}
	s, err := schemasOf(j.engine, p.op)
	if err != nil {
		return nil, notAsked
	}
	request := p.request()
	u, template := p.splitAdjacentParams(*request.URL)
	reported, err := s.Parameters(engine.Request{
		Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery, Header: request.Header, Template: template,
		Ignored: p.ignoredHeaders(),
	})
	if err != nil {
		return nil, lost
	}
	return secondFaults(reported), voted
}

// splitAdjacentParams returns the address in a form that the engine can parse. It splits paths at slashes only, and
// gives a whole segment to the first of two parameters in it: such a pair becomes two segments, or one if the second is
// empty.
func (p *parameters) splitAdjacentParams(u url.URL) (split url.URL, template string) {
	before, last, glued := strings.Cut(p.op.Template, "}{")
	if !glued {
		return u, p.op.Template
	}
	template, value := before+"}", p.inPath(strings.TrimSuffix(last, "}"))
	u.Path = strings.TrimSuffix(u.Path, value)
	if value != "" {
		template, u.Path = template+"/{"+last, u.Path+"/"+value
	}
	u.RawPath = ""
	return u, template
}

// ignoredHeaders names the header parameters of the operation that are not judged.
func (p *parameters) ignoredHeaders() []string {
	var names []string
	for _, ref := range p.op.Parameters {
		if p.isIgnored(ref.Value) {
			names = append(names, ref.Value.Name)
		}
	}
	return names
}

// secondFaults returns the first faults of the second engine, sorted, since their order changes from run to run.
func secondFaults(reported []engine.Fault) []fault {
	var faults []fault
	for _, f := range reported {
		faults = append(faults, fault{path: f.Path, message: redactMessage(f.Message), keyword: f.Keyword})
	}
	slices.SortFunc(faults, func(a, b fault) int {
		if c := slices.Compare(a.path, b.path); c != 0 {
			return c
		}
		return strings.Compare(a.message, b.message)
	})
	return faults[:min(len(faults), maxFaults)]
}
