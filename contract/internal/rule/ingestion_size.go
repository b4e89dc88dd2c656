package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// maxEvent is the largest size of an event's body in bytes (documented).
const maxEvent = 1_048_064

// ingestionState holds what is known of the event ingestion interface.
type ingestionState struct {
	keeping *Event // an exchange that shows that the recording keeps Authorization headers
}

var ingestionSize = watch{
	about: report.RuleDoc{
		ID: IngestionSize, Provenance: specs.Documented,
		Title: "a body over 1,048,064 bytes is refused with 413, and one of that size is not",
		Watches: "Events whose bodies have 1,048,064 bytes or more, and responses with 413. Bytes are counted on the wire: " +
			"those that were recorded, if the recording has all of them, otherwise those that Content-Length announced.",
		Evidence: "A body above the limit was accepted; a body within the limit was refused with 413.",
		Inconclusive: "Neither the body nor Content-Length shows the size, or they differ; the connection broke or the server " +
			"failed; a body above the limit was refused for another reason, which may be checked first; a refused " +
			"compressed body is too large only when decompressed.",
		Passes: "A body of exactly the limit; a body of which only the beginning was recorded; a compressed body that " +
			"exceeds the limit only in its decoded form, as recorded.",
	},
	see: seeIngestionSize,
}

func seeIngestionSize(st *step) {
	f := st.Ingested
	if f == nil || st.Status != http.StatusRequestEntityTooLarge && f.Size < maxEvent {
		return
	}
	r := ruling{rule: IngestionSize, aspect: "limit", provenance: specs.Documented}
	isRefused := st.Status == http.StatusRequestEntityTooLarge
	switch {
	case f.Size < 0:
		r.message = "an event was refused as too large; the recording does not show its size"
		st.judge(r, report.Inconclusive)
	case f.Size <= maxEvent && isRefused && f.Coded:
		r.message = fmt.Sprintf("a compressed event of %d bytes was refused as too large", f.Size)
		st.judge(r, report.Inconclusive)
	case f.Size <= maxEvent && isRefused:
		r.aspect = "below"
		r.message = fmt.Sprintf("an event of %d bytes was refused as too large; %d are allowed", f.Size, maxEvent)
		st.judge(r, report.Fail)
	case f.Size <= maxEvent || isRefused:
		st.judge(r, report.Pass)
	case st.OK():
		r.aspect = "above"
		r.message = fmt.Sprintf("an event of %d bytes was accepted; %d are allowed", f.Size, maxEvent)
		st.judge(r, report.Fail)
	default:
		r.message = fmt.Sprintf("an event of %d bytes was neither answered with 413 nor accepted", f.Size)
		st.judge(r, report.Inconclusive)
	}
}
