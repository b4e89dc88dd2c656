package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/verdict"
)

// journalPage shows the exchanges of a world, newest first. A script makes it live.
type journalPage struct {
	Filter   []queryField
	Matching int
	Total    int
	Dropped  int
	From     int
	Rows     []row
	Newer    string // the address of the page before, and of that after
	Older    string
	Query    string // of the filter, for the script
	Nothing  bool   // was served at all
}

// journalFields lists the filters of the journal, as the control interface has them.
var journalFields = []string{"text", "operation", "status", "interface", "resource", "fault"}

// pageOfRows is the number of rows of a page without a script.
const pageOfRows = 100

func (v *view) journalPage() error {
	var body journalPage
	query, asked := url.Values{}, v.r.URL.Query()
	for _, name := range journalFields {
		value := asked.Get(name)
		body.Filter = append(body.Filter, queryField{name, value})
		if value != "" {
			query.Set(name, value)
		}
	}
	body.Query = query.Encode()
	from, _ := strconv.Atoi(asked.Get("from")) // 0 if it is none
	query.Set("order", "desc")
	query.Set("limit", strconv.Itoa(pageOfRows))
	query.Set("from", strconv.Itoa(max(from, 0)))
	list := struct {
		Total    *int   `json:"total"`
		Matching *int   `json:"matching"`
		From     *int   `json:"from"`
		Rows     *[]row `json:"rows"`
		Dropped  struct {
			Entries *int `json:"entries"`
		} `json:"dropped"`
	}{Total: &body.Total, Matching: &body.Matching, From: &body.From, Rows: &body.Rows}
	list.Dropped.Entries = &body.Dropped
	if err := v.getIn("journal/rows?"+query.Encode(), &list); err != nil {
		return err
	}
	if _, err := v.watch(); err != nil { // so that verdicts are there soon
		return err
	}
	body.Nothing = body.Total == 0 && body.Dropped == 0
	there := func(from int) string { return "?" + body.Query + "&from=" + strconv.Itoa(from) }
	if body.From > 0 {
		body.Newer = there(max(body.From-pageOfRows, 0))
	}
	if body.From+len(body.Rows) < body.Matching {
		body.Older = there(body.From + pageOfRows)
	}
	return v.ok("journal", "journal", "Journal", body)
}

// exchangePage shows one exchange: request and response side by side, verdicts, and what can be done with it.
type exchangePage struct {
	Exchange          recording.Exchange
	Before, After     *int64
	Received          time.Time
	TookMs            float64
	Request, Response *evidence.Message
	RawRequest        string
	RawResponse       string
	Snippets          []snippetView
	Secrets           []string         // variables that snippets have in the place of secrets
	Judged            *verdict.Verdict // nil until the judge has come so far
}

func (v *view) exchangePage() error {
	seq := v.r.PathValue("seq")
	if _, err := strconv.ParseInt(seq, 10, 64); err != nil {
		return v.problem(http.StatusNotFound, "Exchanges have numbers.")
	}
	var body exchangePage
	if err := v.getIn("journal/"+seq, &body.Exchange); err != nil {
		return err
	}
	around := struct {
		Before   **int64    `json:"before"`
		After    **int64    `json:"after"`
		Received *time.Time `json:"received"`
		TookMs   *float64   `json:"tookMs"`
	}{&body.Before, &body.After, &body.Received, &body.TookMs}
	if err := v.getIn("journal/"+seq, &around); err != nil {
		return err
	}
	e := &body.Exchange
	body.Request = evidence.View(e.Request.Headers, e.Request.Body, "", "/request")
	body.RawRequest = raw(e.Request.Method+" "+e.Request.URL, e.Request.Headers, e.Request.Body)
	if e.Response != nil {
		body.Response = evidence.View(e.Response.Headers, e.Response.Body, "", "/response")
		body.RawResponse = raw(strconv.Itoa(e.Response.Status)+" "+http.StatusText(e.Response.Status),
			e.Response.Headers, e.Response.Body)
	}
	w, err := v.watch()
	if err != nil {
		return err
	}
	if w != nil {
		if known := w.watch.Verdicts(e.Seq); len(known) > 0 {
			body.Judged = &known[0]
		}
	}
	if err := v.addSnippets(&body); err != nil {
		return err
	}
	return v.ok("exchange", "journal", "Exchange "+seq, body)
}

// maxRaw is the number of bytes of a body that a page shows as they are.
const maxRaw = 256 << 10

// raw returns a message as it was sent.
func raw(line string, headers recording.Headers, body *recording.Body) string {
	var b strings.Builder
	b.WriteString(line + "\n")
	for _, h := range headers {
		b.WriteString(h[0] + ": " + h[1] + "\n")
	}
	if body != nil {
		b.WriteString("\n" + string(body.Bytes[:min(len(body.Bytes), maxRaw)]))
	}
	return evidence.Visible(strings.ToValidUTF8(b.String(), "\uFFFD"))
}

// Status is that of the response, 0 without one.
func (p exchangePage) Status() int {
	if p.Exchange.Response == nil {
		return 0
	}
	return p.Exchange.Response.Status
}

// row is an exchange in a table of them.
type row struct {
	Seq       int64     `json:"seq"`
	Start     time.Time `json:"start"`    // by the clock of the world
	Received  time.Time `json:"received"` // by the wall clock
	TookMs    float64   `json:"tookMs"`
	Method    string    `json:"method"`
	URL       string    `json:"url"`
	Operation string    `json:"operation"`
	Status    int       `json:"status"`
	Fault     string    `json:"fault"`
	Notes     []string  `json:"notes"`
}

// maxHistory is the number of exchanges that the page of an object shows.
const maxHistory = 50

// history returns the last exchanges that were about an object, newest first; none if the journal cannot say.
func (v *view) history(k *kind, path []string) []row {
	var list struct {
		Rows []row `json:"rows"`
	}
	query := url.Values{"resource": {k.Resource.Name + "/" + strings.Join(path, "/")}, "order": {"desc"}, "limit": {"50"}}
	if err := v.getIn("journal/rows?"+query.Encode(), &list); err != nil {
		return nil
	}
	return list.Rows[:min(len(list.Rows), maxHistory)]
}
