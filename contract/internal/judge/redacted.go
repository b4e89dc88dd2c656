package judge

import (
	"net/url"

	"svc.example/understudy/specs/recording"
)

// Redacted returns the exchange without its secrets, except the key of the request, by which its caller is known. It
// has no verdicts. It is nil if a secret stands in the path of the address.
func (r *Result) Redacted(redactor *recording.Redactor) *Result {
	clean := *r
	clean.Checks, clean.Findings, clean.reading, clean.response, clean.isJSON = nil, nil, nil, nil, false
	e := redactor.Redact(r.Item.Exchange, r.Operation())
	was, err := url.Parse(r.Item.Request.URL)
	is, cleanErr := url.Parse(e.Request.URL)
	if err != nil || cleanErr != nil || was.Path != is.Path {
		return nil
	}
	e.Request.Headers = r.Item.Request.Headers
	clean.Item.Exchange = e
	clean.Owner.Query = is.RawQuery
	clean.readRequest()
	return &clean
}
