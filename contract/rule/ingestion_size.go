package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// maxEvent is how many bytes the body of an event may have (documented).
const maxEvent = 1_048_064

// ingestionState is what is known of the event ingestion interface.
type ingestionState struct {
	keeping *Event // the last exchange that shows that the recording keeps Authorization headers
}

// ingestionSize: an event whose body has more than 1,048,064 bytes is refused with 413, and one that has not is not.
//
// Its chances are bodies of that size or more, and answers of 413. Bytes are those on the wire: what was recorded, if
// that is all, else what Content-Length announced. It is inconclusive when neither tells, when the connection broke or
// the server failed, when an event was refused for another reason, which may come first, and when a compressed body may
// be too large only when it is not.
func ingestionSize(st *step) {
	f := st.event
	if f == nil || st.Status != http.StatusRequestEntityTooLarge && f.size < maxEvent {
		return
	}
	r := ruling{rule: IngestionSize, aspect: "limit", provenance: specs.Documented}
	isRefused := st.Status == http.StatusRequestEntityTooLarge
	switch {
	case f.size < 0:
		r.message = "an event was refused as too large; the recording does not tell its size"
		st.judge(r, report.Inconclusive)
	case f.size <= maxEvent && isRefused && f.coded:
		r.message = fmt.Sprintf("a compressed event of %d bytes was refused as too large", f.size)
		st.judge(r, report.Inconclusive)
	case f.size <= maxEvent && isRefused:
		r.aspect = "below"
		r.message = fmt.Sprintf("an event of %d bytes was refused as too large; %d are allowed", f.size, maxEvent)
		st.judge(r, report.Fail)
	case f.size <= maxEvent || isRefused:
		st.judge(r, report.Pass)
	case st.OK():
		r.aspect = "above"
		r.message = fmt.Sprintf("an event of %d bytes was accepted; %d are allowed", f.size, maxEvent)
		st.judge(r, report.Fail)
	default:
		r.message = fmt.Sprintf("an event of %d bytes was not answered with 413, nor accepted", f.size)
		st.judge(r, report.Inconclusive)
	}
}
