package validate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/specs"
)

// The shapes that a strict client takes of the core data interface: it refuses an answer that lacks a member, has one
// more, or has one of another type. A shape lists the members with their types; a type with a question mark may be
// null, and a member in brackets may be absent.
const (
	strictDatabase = "name=text count=integer created_at=offset-time updated_at=offset-time organization=text? " +
		"permission=text delete_protected=boolean"
	strictTable = "id=integer name=text type=text count=integer created_at=time updated_at=time " +
		"counter_updated_at=text? last_log_timestamp=instant? delete_protected=boolean estimated_storage_size=integer " +
		"expire_days=integer? include_v=boolean schema=text"
	strictQueryJob = "job_id=text type=text status=text query=text database=text user_name=text result=text url=text " +
		"priority=integer retry_limit=integer created_at=time updated_at=time start_at=time-or-empty " +
		"end_at=time-or-empty duration=integer? cpu_time=integer? num_records=integer? result_size=integer? " +
		"hive_result_schema=text? organization=text?"
	strictJob       = strictQueryJob + " linked_result_export_job_id=integer? result_export_target_job_id=integer?"
	strictJobStatus = "job_id=text status=text created_at=time updated_at=time start_at=time-or-empty " +
		"end_at=time-or-empty duration=integer? cpu_time=integer? num_records=integer? result_size=integer?"
	strictSchedule = "name=text cron=text? timezone=text delay=integer? created_at=instant type=text query=text " +
		"database=text user_name=text"
	strictScheduleCreated = strictSchedule + " id=integer priority=integer retry_limit=integer result=text? start=text?"
	// One client does not expect more in a listing than its required members; others read these, too.
	strictAccount = "id=integer plan=integer presto_plan=integer storage_size=integer guaranteed_cores=integer " +
		"maximum_cores=integer created_at=time"
	strictUser = "id=integer name=text first_name=text last_name=text email=text phone=text? gravatar_url=text " +
		"administrator=boolean account_owner=boolean organization=text roles=array created_at=instant updated_at=instant"
	strictScheduleListed = strictSchedule + " [priority=integer] [retry_limit=integer] [result=text?] [next_time=text?]"
)

// What a strict client reads fits it, in every state of a resource.
func TestStrictClient(t *testing.T) {
	t.Parallel()
	const (
		table    = "POST /table/create/shop/orders/log"
		issue    = `POST /job/issue/hive/shop {"query":"select 1"}`
		schedule = `POST /schedule/create/daily {"database":"shop","query":"select 1","type":"hive","cron":"@daily"}`
		manual   = `POST /schedule/create/manual {"database":"shop","query":"select 1","type":"hive"}`
	)
	for _, test := range []struct {
		calls []string // the last one is looked at
		shape string   // of the answer or, behind a name and a colon, of an object or of the items of a list in it
	}{
		{[]string{"GET /database/list"}, "databases: " + strictDatabase},
		{[]string{table, "GET /table/list/shop"}, "database=text tables: " + strictTable},
		{[]string{table, "GET /table/show/shop/orders"}, strictTable},
		{[]string{issue, "GET /job/list"}, "count=integer from=integer? to=integer? jobs: " + strictJob},
		{[]string{issue, "idle", "GET /job/list"}, "count=integer from=integer? to=integer? jobs: " + strictJob},
		{[]string{issue, "GET /job/show/{job}"}, strictJob + " debug=object"},
		{[]string{issue, "idle", "GET /job/show/{job}"}, strictJob + " debug=object"},
		{[]string{issue, "GET /job/status/{job}"}, strictJobStatus},
		{[]string{issue, "idle", "GET /job/status/{job}"}, strictJobStatus},
		{[]string{schedule, manual, "GET /schedule/list"}, "schedules: " + strictScheduleListed},
		{[]string{schedule}, strictScheduleCreated},
		{[]string{manual}, strictScheduleCreated},
		{[]string{schedule, "POST /schedule/delete/daily"}, strictSchedule},
		{
			[]string{schedule, "POST /schedule/run/daily/1768435200", "idle", "GET /schedule/history/daily"},
			"count=integer from=integer to=integer history: " + strictQueryJob + " scheduled_at=time",
		},
		{[]string{"GET /account/show"}, "account: " + strictAccount},
		{[]string{"GET /user/list"}, "users: " + strictUser},
	} {
		t.Run(strings.Join(test.calls, ", "), func(t *testing.T) {
			t.Parallel()
			c := newStrictClient(t)
			c.call("POST /database/create/shop")
			for _, line := range test.calls[:len(test.calls)-1] {
				c.call(line)
			}
			c.fits(c.call(test.calls[len(test.calls)-1]), test.shape)
		})
	}
}

// A strict client is strict: each of these answers has one thing that it refuses.
func TestStrictClientRefuses(t *testing.T) {
	t.Parallel()
	const shape = "name=text [note=text] rows: at=time end=time-or-empty n=integer? ok=boolean"
	for text, says := range map[string]string{
		`{"name":"a","rows":[{"at":"2026-01-15 09:30:00 UTC","end":"","n":null,"ok":true}]}`:                         "",
		`{"name":"a","note":"b","rows":[]}`:                                                                          "rows",
		`{"name":"a"}`:                                                                                               "rows",
		`{"rows":[{"at":"2026-01-15 09:30:00 UTC","end":"","n":1,"ok":true}]}`:                                       "name",
		`{"name":null,"rows":[{"at":"2026-01-15 09:30:00 UTC","end":"","n":1,"ok":true}]}`:                           "name",
		`{"name":"a","more":1,"rows":[{"at":"2026-01-15 09:30:00 UTC","end":"","n":1,"ok":true}]}`:                   "more",
		`{"name":"a","rows":[{"at":"","end":"","n":1,"ok":true}]}`:                                                   "at",
		`{"name":"a","rows":[{"at":"2026-01-15 09:30:00 +0000","end":"","n":1,"ok":true}]}`:                          "at",
		`{"name":"a","rows":[{"at":"2026-01-15T09:30:00Z","end":"","n":1,"ok":true}]}`:                               "at",
		`{"name":"a","rows":[{"at":"2026-01-15 09:30:00 UTC","end":null,"n":1,"ok":true}]}`:                          "end",
		`{"name":"a","rows":[{"at":"2026-01-15 09:30:00 UTC","end":"","n":1.5,"ok":true}]}`:                          "n",
		`{"name":"a","rows":[{"at":"2026-01-15 09:30:00 UTC","end":"","n":1,"ok":"true"}]}`:                          "ok",
		`{"name":"a","rows":[{"at":"2026-01-15 09:30:00 UTC","end":"","n":1,"ok":true,"x":1}]}`:                      "x",
		`{"name":"a","rows":[{"at":"2026-01-15 09:30:00 UTC","end":"","n":1,"ok":true},{"end":"","n":1,"ok":true}]}`: "at",
	} {
		got := strictMisfits([]byte(text), shape)
		if says == "" && got != nil || says != "" && !slices.ContainsFunc(got, func(misfit string) bool {
			return strings.HasPrefix(misfit, says+" ")
		}) {
			t.Errorf("%s: %q, want one of %s", text, got, says)
		}
	}
}

// strictClient calls the core data interface of a mock of its own.
type strictClient struct {
	*mocktest.Client
	job string
}

func newStrictClient(t *testing.T) *strictClient {
	t.Helper()
	return &strictClient{Client: mocktest.Open(t, specs.Core)}
}

// call makes the call of a line: method, path and body. The word idle lets everything come to its end instead.
func (c *strictClient) call(line string) []byte {
	c.Helper()
	if line == "idle" {
		c.World().AdvanceUntilIdle()
		return nil
	}
	words := append(strings.SplitN(line, " ", 3), "")
	path := strings.Replace(words[1], "{job}", c.job, 1)
	a := c.Call(words[0], path, words[2]).Want(http.StatusOK)
	if strings.Contains(path, "/job/issue/") {
		c.job = a.Value("job_id").Text()
	}
	return []byte(a.Body)
}

func (c *strictClient) fits(body []byte, shape string) {
	c.Helper()
	for _, misfit := range strictMisfits(body, shape) {
		c.Errorf("%s in %s", misfit, body)
	}
}

// strictMisfits is everything in which an answer differs from a shape, each with the name of the member first.
func strictMisfits(body []byte, shape string) []string {
	outer, inner, lists := strings.Cut(shape, ": ")
	if !lists {
		return strictObject(body, outer)
	}
	at := strings.LastIndex(" "+outer, " ")
	list, kind := outer[at:], "=array"
	var object map[string]json.RawMessage
	var items []json.RawMessage
	if json.Unmarshal(body, &object) == nil && strings.HasPrefix(string(object[list]), "{") {
		items, kind = []json.RawMessage{object[list]}, "=object"
	} else {
		_ = json.Unmarshal(object[list], &items)
	}
	misfits := strictObject(body, outer[:at]+list+kind)
	if len(items) == 0 {
		return append(misfits, list+" has no items")
	}
	for _, item := range items {
		misfits = append(misfits, strictObject(item, inner)...)
	}
	return misfits
}

func strictObject(text []byte, shape string) (misfits []string) {
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return []string{err.Error()}
	}
	for member := range strings.FieldsSeq(shape) {
		required := strings.Trim(member, "[]")
		name, kind, _ := strings.Cut(required, "=")
		value, there := object[name]
		if delete(object, name); !there && required == member {
			misfits = append(misfits, name+" is missing")
		} else if there && !strictKind(value, kind) {
			misfits = append(misfits, fmt.Sprintf("%s is no %s", name, kind))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		misfits = append(misfits, name+" is not known")
	}
	return misfits
}

func strictKind(value any, kind string) bool {
	switch base, nullable := strings.CutSuffix(kind, "?"); v := value.(type) {
	case nil:
		return nullable
	case bool:
		return base == "boolean"
	case float64:
		return base == "integer" && v == float64(int64(v))
	case []any:
		return base == "array"
	case map[string]any:
		return base == "object"
	case string:
		return strictText(v, base)
	}
	return false
}

func strictText(text, kind string) bool {
	layout := ""
	switch kind {
	case "text":
		return true
	case "time-or-empty":
		return text == "" || strictText(text, "time")
	case "time":
		layout = "2006-01-02 15:04:05 UTC"
	case "offset-time":
		layout = "2006-01-02 15:04:05 -0700"
	case "instant":
		layout = time.RFC3339
	}
	_, err := time.Parse(layout, text)
	return err == nil && layout != ""
}
