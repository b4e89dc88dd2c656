package format

import (
	"strconv"
	"time"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
)

// isEasyVCR recognises cassettes of EasyVCR, a list of interactions, from C# or from Java, whose keys begin with small
// letters.
func isEasyVCR(h *record.Head) bool {
	return h.Begins("[") && h.HasAny("/0/Request/Uri", "/0/request/bodyContentType", "/0/Request/BodyContentType")
}

func decodeEasyVCR(_ record.Raw, v tree.Value) (record.Draft, error) {
	request, response := foldKeys(v, "Request"), foldKeys(v, "Response")
	d := record.Draft{
		Method: foldKeys(request, "Method").Text, URL: foldKeys(request, "Uri").Text,
		Status:  foldKeys(response, "Status", "Code"),
		Request: easySide(request, "RequestHeaders"), Response: easySide(response, "ResponseHeaders"),
	}
	d.Start, d.End = easyTimes(foldKeys(v, "RecordedAt"), foldKeys(v, "Duration"))
	return d, nil
}

func easySide(message tree.Value, names string) record.Message {
	headers := headersOf(foldKeys(message, names))
	for _, more := range []string{"ContentHeaders", "Headers"} {
		headers = append(headers, headersOf(foldKeys(message, more))...)
	}
	return record.Message{Headers: headers, Body: heldValue(foldKeys(message, "Body"))}
}

// easyTimes takes when an interaction was recorded, which is when the answer was there, and how many milliseconds it
// took.
func easyTimes(recorded, duration tree.Value) (start, end time.Time) {
	end = record.ParseTime(recorded.Text)
	if seconds, err := strconv.ParseInt(recorded.Get("seconds").Text, 10, 64); err == nil {
		nanos, _ := strconv.ParseInt(recorded.Get("nanos").Text, 10, 64)
		end = time.Unix(seconds, nanos).UTC()
	}
	if end.IsZero() {
		return end, end
	}
	return end.Add(-record.ParseMilliseconds(duration.Text)), end
}
