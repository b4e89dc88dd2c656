package plant_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/tools/plant"
	"svc.example/understudy/specs/recording"
)

// secretSession is a recording by a tool that takes no secrets out.
type secretSession struct {
	list  []*recording.Exchange
	count int
}

func (s *secretSession) token() string {
	s.count++
	return fmt.Sprintf("%s%05d%[1]s%05[2]d%[1]s", plant.Marker, s.count)
}

// key returns a secret in the platform's own form.
func (s *secretSession) key() string {
	s.count++
	return fmt.Sprintf("1/%s%011x%[1]s%011[2]x%[1]s", plant.KeyMarker, s.count)
}

// add adds an exchange. A body of JSON begins with a bracket or a brace, and any other one is a form.
func (s *secretSession) add(method, path, request, answer string) {
	e := &recording.Exchange{
		Seq: int64(len(s.list) + 1), Start: time.Date(2026, 1, 15, 9, 30, len(s.list), 0, time.UTC),
		Request: recording.Request{
			Method: method, URL: "http://127.0.0.1:4010" + path,
			Headers: recording.Headers{{"Authorization", "SVC1 " + s.key()}},
		},
		Response: &recording.Response{
			Status: http.StatusOK, Headers: recording.Headers{{"Content-Type", "application/json"}},
			Body: &recording.Body{Bytes: []byte(answer)},
		},
	}
	e.End = e.Start.Add(time.Millisecond)
	if request != "" {
		mediaType := "application/x-www-form-urlencoded"
		if strings.HasPrefix(request, "{") {
			mediaType = "application/json"
		}
		e.Request.Headers = append(e.Request.Headers, [2]string{"Content-Type", mediaType})
		e.Request.Body = &recording.Body{Bytes: []byte(request)}
	}
	s.list = append(s.list, e)
}

// addPlanted adds what clients and services send anywhere, on an address of its own.
func (s *secretSession) addPlanted(e *plant.Exchange) {
	headers := func(h http.Header) (list recording.Headers) {
		for name, values := range h {
			for _, value := range values {
				list = append(list, [2]string{name, value})
			}
		}
		return list
	}
	s.add(e.Method, "/workflow"+e.Path, "{}", "{}")
	last := s.list[len(s.list)-1]
	last.Request.Headers, last.Request.Body.Bytes = headers(e.Request.Header), e.Request.Body
	last.Response.Headers, last.Response.Body.Bytes = headers(e.Answer.Header), e.Answer.Body
	s.count += e.Secrets
}

// addKnown adds exchanges from which things are learned, with secrets in them.
func (s *secretSession) addKnown(n int) {
	token, key := s.token, s.key
	s.add("GET", "/core/v3/result/list", "", `{"results":[{"name":"old`+strconv.Itoa(n)+`","url":"mysql://me:`+token()+
		`@db.example/x"}]}`)
	s.add("POST", fmt.Sprintf("/core/v3/result/create/new%d", n), "url=mysql%3A%2F%2Fme%3A"+token()+"%40db.example%2Fx",
		`{"result":"new"}`)
	s.add("PUT", fmt.Sprintf("/workflow/api/projects/1/secrets/k%d", n), `{"value":"`+token()+`"}`, `{"status":"ok"}`)
	s.add("POST", fmt.Sprintf("/core/v3/user/add/n%d", n), `{"email":"n@shop.example","password":"`+token()+`"}`,
		fmt.Sprintf(`{"id":%d,"name":"n%[1]d","email":"n%[1]d@shop.example","apikey":"%s"}`, n+100, key()))
	s.add("POST", "/core/v3/user/authenticate", "user=a%40shop.example&password="+token(),
		`{"user":"a@shop.example","apikey":"`+key()+`"}`)
	s.add("GET", "/core/v3/user/apikey/list/n", "", `{"apikeys":["`+key()+`"]}`)
	s.add("POST", "/core/v3/job/issue/trino/shop", `{"query":"select 1 -- by `+key()+` at https://me:`+token()+`@x.example/"}`,
		fmt.Sprintf(`{"job":"%d","job_id":"%[1]d","database":"shop"}`, n+1))
	s.add("GET", fmt.Sprintf("/core/v3/job/show/%d", n+1000), "", fmt.Sprintf(
		`{"job_id":"%d","type":"trino","status":"success","database":"shop","query":"-- %s","result":"s3://A:%s@b/p",`+
			`"created_at":"2026-01-15 09:00:00 UTC"}`, n+1000, key(), token()))
	rows := slices.Repeat([]string{`{"time":1768469400,"note":"use ` + key() + `","password":"` + token() + `"}`}, 30)
	s.add("GET", fmt.Sprintf("/core/v3/table/tail/shop/users%d", n), "", "["+strings.Join(rows, ",")+"]")
	s.add("GET", "/llm/api/agents", "", fmt.Sprintf(`{"data":[{"type":"agents","id":"00000000-0000-4000-8000-%012d",`+
		`"attributes":{"name":"a%[1]d","systemPrompt":"sign in with https://me:%s@x.example and %s","apiKey":"%s"}}]}`,
		n, token(), key(), token()))
	s.add("PUT", "/workflow/api/projects?project=p&revision=r", "{", `{"id":"1","name":"p"}`)
	archive := s.list[len(s.list)-1]
	archive.Request.Headers[1][1] = "application/gzip"
	archive.Request.Body.Bytes = archiveOf("+a:\n  sh>: curl -H 'Authorization: SVC1 " + key() + "' https://me:" +
		token() + "@x.example/\n  _env: {password: " + token() + "}\n")
}

// archiveOf returns a packed archive with one workflow.
func archiveOf(text string) []byte {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	_ = w.WriteHeader(&tar.Header{Name: "a.dig", Mode: 0o600, Size: int64(len(text))})
	_, _ = w.Write([]byte(text))
	_, _ = w.Close(), z.Close()
	return packed.Bytes()
}

// TestNoSecretIsLearned learns from a recording with secrets, 1,000 unless PLANT says how many.
func TestNoSecretIsLearned(t *testing.T) {
	t.Parallel()
	want, _ := strconv.Atoi(os.Getenv("PLANT"))
	if want == 0 {
		want = 1000
	}
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	generator := plant.New(seed, 3000)
	var s secretSession
	for n := 0; s.count < want; n++ {
		s.addPlanted(generator.Next())
		s.addKnown(n)
	}
	checker, err := contract.NewChecker()
	if err != nil {
		t.Fatal(err)
	}
	learned, err := checker.Learn(t.Context(), contract.Exchanges(slices.Values(s.list)), nil)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"scenario.yaml": learned.Scenario, "story.txtar": learned.Story}
	maps.Copy(files, learned.Files)
	for name, text := range files {
		if left := plant.Find(text); len(left) > 0 {
			t.Errorf("%s: left are %q", name, left[:min(len(left), 5)])
		}
	}
	if n := len(learned.Files); n == 0 {
		t.Errorf("learned no data files, want one for each table")
	}
	for _, text := range slices.Concat(learned.Notes, []string{fmt.Sprint(learned.Guesses, learned.Keys)}) {
		if left := plant.Find([]byte(text)); len(left) > 0 {
			t.Errorf("%s: left are %q", text, left)
		}
	}
	t.Logf("%d secrets, %d bytes of a scenario, %d of a story", s.count, len(learned.Scenario), len(learned.Story))
}
