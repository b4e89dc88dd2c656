package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var ingestionSize = history.Rule{
	Doc: report.RuleDoc{
		ID: IngestionSize, Provenance: specs.Documented,
		Title: "a body over 1,048,064 bytes is refused with 413, and one of that size is not",
		Watches: "Events whose bodies have 1,048,064 bytes or more, and responses with 413. Bytes are counted on the wire: " +
			"those that were recorded, if the recording has all of them, otherwise those that Content-Length announced.",
		Evidence: "A body above the limit was accepted; a body within the limit was refused with 413.",
		Inconclusive: "Neither the body nor Content-Length shows the size, or they differ; the connection broke or the " +
			"server failed; a body above the limit was refused for another reason, which may be checked first; a refused " +
			"compressed body is too large only when decompressed.",
		Passes: "A body of exactly the limit; a body of which only the beginning was recorded; a compressed body that " +
			"exceeds the limit only in its decoded form, as recorded.",
	},
	Check: checkIngestionSize,
}

func checkIngestionSize(st *history.Step) {
	f := st.Ingested
	if f == nil || st.Status != http.StatusRequestEntityTooLarge && f.Size < facts.MaxEventSize {
		return
	}
	r := history.Ruling{Rule: IngestionSize, Aspect: "limit", Provenance: specs.Documented}
	isRefused := st.Status == http.StatusRequestEntityTooLarge
	switch {
	case f.Size < 0:
		r.Message = "an event was refused as too large; the recording does not show its size"
		st.Judge(r, report.Inconclusive)
	case f.Size <= facts.MaxEventSize && isRefused && f.Coded:
		r.Message = fmt.Sprintf("a compressed event of %d bytes was refused as too large", f.Size)
		st.Judge(r, report.Inconclusive)
	case f.Size <= facts.MaxEventSize && isRefused:
		r.Aspect = "below"
		r.Message = fmt.Sprintf("an event of %d bytes was refused as too large; %d are allowed", f.Size, facts.MaxEventSize)
		st.Judge(r, report.Fail)
	case f.Size <= facts.MaxEventSize || isRefused:
		st.Judge(r, report.Pass)
	case st.OK():
		r.Aspect = "above"
		r.Message = fmt.Sprintf("an event of %d bytes was accepted; %d are allowed", f.Size, facts.MaxEventSize)
		st.Judge(r, report.Fail)
	default:
		r.Message = fmt.Sprintf("an event of %d bytes was neither answered with 413 nor accepted", f.Size)
		st.Judge(r, report.Inconclusive)
	}
}
