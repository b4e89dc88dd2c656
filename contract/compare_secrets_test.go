package contract_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// secretsOf returns secrets that are told apart by a word.
func secretsOf(side string) (list []string) {
	for i := range 12 {
		list = append(list, fmt.Sprintf("s3cr3t%sValue%02dx", side, i))
	}
	return list
}

// bodyWithSecrets returns JSON with secrets where answers have them, and in places that differ.
func bodyWithSecrets(s []string, extra string) string {
	return fmt.Sprintf(`{"pools":[{"id":"1","name":"default","password":%q,"url":"https://ana:%s@db.example/x?token=%s",`+
		`"note":"Authorization: SVC1 1/%s","nested":{"api_key":%q,"list":[{"access_token":%q}]}}%s]}`,
		s[0], s[1], s[2], s[3], s[4], s[5], extra)
}

// itemWithSecrets is an item that only one of two lists has.
func itemWithSecrets(s []string) string {
	return fmt.Sprintf(`,{"id":"9","name":"n","client_secret":%q,"dsn":"postgres://u:%s@h/d"}`, s[6], s[7])
}

// What a recording has in plain, and what the subject answers, is in no form of a report and in no baseline.
func TestComparisonsHideSecrets(t *testing.T) {
	t.Parallel()
	was, is := secretsOf("Was"), secretsOf("Is")
	secrets := append(append([]string{}, was...), is...)
	key := func(e *recording.Exchange) *recording.Exchange {
		e.Request.URL += "?api_key=" + was[8]
		e.Request.Headers = recording.Headers{{"Authorization", "SVC1 1/" + was[9]}}
		e.Response.Headers = append(e.Response.Headers, [2]string{"Location", "https://u:" + was[10] + "@h/"})
		return e
	}
	answers := map[string]http.HandlerFunc{
		"values": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Location", "https://u:"+is[10]+"@h/")
			_, _ = w.Write([]byte(bodyWithSecrets(is, "")))
		},
		"an item more": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(bodyWithSecrets(is, itemWithSecrets(is)+itemWithSecrets(is))))
		},
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"message":"cannot reach https://u:%s@h/","token":%q}`, is[0], is[1])
		},
		"a list in its place": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `[{"password":%q}]`, is[2])
		},
		"a panic": func(http.ResponseWriter, *http.Request) { panic("cannot reach https://u:" + is[3] + "@h/") },
		"a text": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = fmt.Fprintf(w, "Authorization: SVC1 1/%s\n", is[4])
		},
	}
	for name, handler := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := checker(t)
			source := of(key(getting(poolsURL, bodyWithSecrets(was, itemWithSecrets(was)))))
			r, err := c.Compare(t.Context(), source, contract.Subject{Handler: handler})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Evidence(t.Context(), source, r); err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) == 0 {
				t.Fatal("no difference")
			}
			for _, format := range report.Formats() {
				var b strings.Builder
				if err := r.Write(&b, format); err != nil {
					t.Fatal(err)
				}
				hidesAll(t, format, b.String(), secrets)
			}
			var b strings.Builder
			if err := contract.WriteBaseline(&b, r); err != nil {
				t.Fatal(err)
			}
			hidesAll(t, "baseline", b.String(), secrets)
		})
	}
}

// hidesAll requires that no secret is in a text, in plain or in Base64.
func hidesAll(t *testing.T, where, text string, secrets []string) {
	t.Helper()
	for _, secret := range secrets {
		for _, form := range []string{secret, strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "=")} {
			if at := strings.Index(text, form); at >= 0 {
				t.Errorf("%s has %s: …%s…", where, secret, text[max(0, at-80):min(len(text), at+40)])
			}
		}
	}
}
