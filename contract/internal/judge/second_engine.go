package judge

import (
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/body"
)

// secondOnBody judges a JSON body, or the JSON object that a form stands for. The engine cannot read others, and it
// passes forms unread. Where it cannot load the operation, the first one judges alone. Known is how many faults that
// one found.
func (j *Judge) secondOnBody(b *content, known int) (faults []fault, v vote) {
	kind := b.jsonHeader()
	if j.engine == nil || b.decoded.JSON == nil || kind == "" || !b.sampled && known == 0 {
		return nil, silent
	}
	text := b.excerpt(known)
	if text == nil {
		return nil, silent
	}
	s, err := schemasOf(j.engine, b.op)
	if err != nil {
		return nil, silent
	}
	var said []engine.Fault
	if b.side == request {
		said, err = s.RequestBody(kind, text)
	} else {
		said, err = s.ResponseBody(b.status, kind, text)
	}
	if err != nil {
		return nil, lost
	}
	return b.placed(secondFaults(said)), voted
}

// jsonHeader is the Content-Type under which JSON is judged by the schema of the body, or the empty string.
func (b *content) jsonHeader() string {
	if body.IsJSON(body.MediaType(b.header)) && b.content.Get(b.header) == b.media {
		return b.header
	}
	return ""
}

// placed adds to faults where the document speaks of their values, and takes the values out of the messages, since they
// may be secret.
func (b *content) placed(faults []fault) []fault {
	for i := range faults {
		f := &faults[i]
		ways := b.waysTo(f.path)
		if len(ways) > 0 {
			f.pointer = ways[0].pointer
		}
		if text, _ := b.valueAt(f.path).(string); text != "" {
			f.message = strings.ReplaceAll(f.message, text, "…")
		}
	}
	return faults
}

func (j *Judge) secondOnParameters(p *parameters, known int) ([]fault, vote) {
	if j.engine == nil || len(p.op.Parameters) == 0 || p.anyRedacted() || !p.sampled && known == 0 {
		return nil, silent
	}
	s, err := schemasOf(j.engine, p.op)
	if err != nil {
		return nil, silent
	}
	u, template := p.splitAdjacentParams()
	said, err := s.Parameters(engine.Request{
		Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery, Header: p.request.Header, Template: template,
		Ignored: p.ignoredHeaders(),
	})
	if err != nil {
		return nil, lost
	}
	return secondFaults(said), voted
}

// splitAdjacentParams returns the address as the engine can take it apart. It splits paths at slashes alone, so that it
// gives all of a segment to the first of two parameters in it: such a pair becomes two segments, or one when the other
// is empty.
func (p *parameters) splitAdjacentParams() (u url.URL, template string) {
	u = *p.request.URL
	before, last, glued := strings.Cut(p.op.Template, "}{")
	if !glued {
		return u, p.op.Template
	}
	template, value := before+"}", p.path[strings.TrimSuffix(last, "}")]
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

// secondFaults keeps the first of the faults that the second engine names, sorted, since their order changes from run
// to run.
func secondFaults(said []engine.Fault) []fault {
	var faults []fault
	for _, f := range said {
		faults = append(faults, fault{path: f.Path, message: redactMessage(f.Message)})
	}
	slices.SortFunc(faults, func(a, b fault) int {
		if c := slices.Compare(a.path, b.path); c != 0 {
			return c
		}
		return strings.Compare(a.message, b.message)
	})
	return faults[:min(len(faults), maxFaults)]
}
