package capture

import (
	"strconv"
	"time"
)

// isEasyVCR recognises cassettes of EasyVCR, a list of interactions, from C# or from Java, whose keys begin with small
// letters.
func isEasyVCR(h *head) bool {
	return h.begins("[") && h.hasAny("/0/Request/Uri", "/0/request/bodyContentType", "/0/Request/BodyContentType")
}

func decodeEasyVCR(_ Record, v value) (draft, error) {
	request, response := v.fold("Request"), v.fold("Response")
	d := draft{
		method: request.fold("Method").text, url: request.fold("Uri").text, status: response.fold("Status", "Code"),
		request: easySide(request, "RequestHeaders"), response: easySide(response, "ResponseHeaders"),
	}
	d.start, d.end = easyTimes(v.fold("RecordedAt"), v.fold("Duration"))
	return d, nil
}

func easySide(message value, names string) side {
	headers := headersOf(message.fold(names))
	for _, more := range []string{"ContentHeaders", "Headers"} {
		headers = append(headers, headersOf(message.fold(more))...)
	}
	return side{headers: headers, body: heldValue(message.fold("Body"))}
}

// easyTimes takes when an interaction was recorded, which is when the answer was there, and how many milliseconds it
// took.
func easyTimes(recorded, duration value) (start, end time.Time) {
	end = timeOf(recorded.text)
	if seconds, err := strconv.ParseInt(recorded.get("seconds").text, 10, 64); err == nil {
		nanos, _ := strconv.ParseInt(recorded.get("nanos").text, 10, 64)
		end = time.Unix(seconds, nanos).UTC()
	}
	if end.IsZero() {
		return end, end
	}
	return end.Add(-milliseconds(duration.text)), end
}
