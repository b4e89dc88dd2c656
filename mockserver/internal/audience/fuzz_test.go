package audience_test

import (
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// fuzzed makes rooms of one server, since that takes longer than a call. A fault of the mock is a 500.
func fuzzed(f *testing.F, mode mockserver.Validation) func(*testing.T) *mocktest.Client {
	f.Helper()
	server, err := mockserver.New(mockserver.WithScenario("empty"), mockserver.WithClock("frozen"),
		mockserver.WithNow(mocktest.Now), mockserver.WithValidation(mode))
	if err != nil {
		f.Fatal(err)
	}
	if err := server.World("").Load([]byte(mocktest.People + sixPeople)); err != nil {
		f.Fatal(err)
	}
	return func(t *testing.T) *mocktest.Client {
		t.Helper()
		server.World("").Reset()
		return &mocktest.Client{TB: t, Server: server, Iface: "audience", Key: "1/admin"}
	}
}

// FuzzRules sends anything for a rule. Held against no document, it is refused with 400 or counts some of the six
// people. Held against the document, it makes a segment that counts as many.
func FuzzRules(f *testing.F) {
	for _, rule := range []string{
		"null", "{}", of("And", lima, adult), of("Or", of("And", lima), score),
		one("age", `{"type":"Between","minValue":1,"maxValue":"9"}`),
		one("joined", `{"type":"TimeRange","from":{"last":1,"unit":"day"},"duration":{"day":1e9},"reverse":true}`),
		one("joined", `{"type":"TimeInBetweenNext","from":{"timestamp":"1e10"},"to":{"value":100000,"unit":"year"}}`),
		one("tags", `{"type":"Regexp","rightValue":"(a|b)*$"}`), one("id", `{"type":"In","rightValues":[1e400,"NaN"]}`),
		`{"type":"Composite","expr":"not ($1 && 2)","conditions":[` + lima + `,` + score + `]}`,
		`{"type":"And","conditions":[{"type":"Reference","id":"70","exclude":true}],"limit":{"type":"Percent","number":1e-9}}`,
		`{"type":"And","conditions":[{"type":"Value","leftValue":{"name":"tags"},"operator":{"type":"IsNull"},"arrayMatching":{"exactly":0}}]}`,
	} {
		f.Add(rule)
	}
	loose, strict := fuzzed(f, mockserver.Off), fuzzed(f, mockserver.Strict)
	f.Fuzz(func(t *testing.T, rule string) {
		c := loose(t)
		a := c.Post(queries, `{"rule":`+rule+`}`)
		if a.Status == 400 {
			return
		}
		count := a.Want(200).Wants("status", "success").Value("count")
		if n := count.Int(); n < 0 || n > 6 {
			t.Errorf("%d people fit", n)
		}
		made := strict(t).Post(segments, `{"name":"a","countPopulation":true,"rule":`+rule+`}`)
		if made.Status == 400 {
			return
		}
		made.Want(200).Wants("population", count.Text())
	})
}

// FuzzActivations sends anything for an activation: none of it is the mock's fault.
func FuzzActivations(f *testing.F) {
	for _, body := range []string{
		plain, with(`"columns":[{"column":"a","source":{"string":"$1$2","parameters":[{"type":"Timestamp","format":"%Y"}]}}]`),
		with(`"cron":"TZ=","scheduleType":"cron"`), with(`"timezone":"../etc","startAt":"9999-12-31T23:59:59"`), "[]", "{",
	} {
		f.Add(body)
	}
	strict := fuzzed(f, mockserver.Strict)
	f.Fuzz(func(t *testing.T, body string) {
		if !strings.HasPrefix(body, "{") {
			body = "{" + body
		}
		a := strict(t).Post(activations, body)
		if a.Status != 200 && a.Status != 400 {
			t.Errorf("status %d: %s", a.Status, a.Body)
		}
	})
}
