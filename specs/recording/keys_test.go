package recording_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// A key in the platform's own form is taken out wherever it stands, under whatever name, since its form gives it away.
func TestPlatformKeysAreTakenOutWhereverTheyStand(t *testing.T) {
	t.Parallel()
	key := specs.PlatformKey(7, "1/admin")
	redactor := &recording.Redactor{Salt: []byte("salt")}
	for text, contentType := range map[string]string{
		`{"list":[{"id":1,"value":"%"},"%"]}`: "application/json",
		`{"note":"ask with % instead"}`:       "application/json",
		`{"note":"SVC1 %"}`:                   "application/json",
		`{"%":true}`:                          "application/json",
		`{"list":["%`:                         "application/json", // cut
		"a=1&b=%":                             "application/x-www-form-urlencoded",
		"the user has % and %":                "text/plain",
		"7/0123 and 40 letters are no key: " + key[2:]: "text/plain",
	} {
		e := &recording.Exchange{
			Request: recording.Request{
				URL:     "https://h.example/user/" + key + "?which=" + key + "&page=1",
				Headers: recording.Headers{{"Content-Type", contentType}},
				Body:    &recording.Body{Bytes: []byte(strings.ReplaceAll(text, "%", key))},
			},
			Response: &recording.Response{Body: &recording.Body{Bytes: []byte(`["` + strings.ReplaceAll(key, "/", `\/`) +
				`"]`)}},
		}
		clean := redactor.Redact(e, nil)
		hash := redactor.Hash(key)
		want := strings.ReplaceAll(text, "%", hash)
		got := strings.NewReplacer("%5B", "[", "%3A", ":", "%5D", "]").Replace(string(clean.Request.Body.Bytes))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if diff := cmp.Diff(`["`+hash+`"]`, string(clean.Response.Body.Bytes)); diff != "" {
			t.Errorf("with an escaped slash (-want +got):\n%s", diff)
		}
		if strings.Contains(clean.Request.URL, key[2:]) || !strings.Contains(clean.Request.URL, "page=1") {
			t.Errorf("address: %s", clean.Request.URL)
		}
	}
}
