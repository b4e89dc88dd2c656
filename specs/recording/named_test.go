package recording_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// A secret behind its name is taken out in whatever syntax a text has, and nothing else is.
func TestSecretsBehindTheirNames(t *testing.T) {
	t.Parallel()
	redactor := &recording.Redactor{Salt: []byte("salt")}
	mark := redactor.Hash("geheim42")
	for _, text := range []string{ // § stands for the secret, and then for its mark
		"password=§",
		"user=me password=§ port=1",
		"Server=x;Pwd=§;Port=1",
		"a := 1; apiKey := '§'",
		`:secret => "§", :user => "me"`,
		"/path?x=1&token=§#end",
		"??token=§&x=1",
		"run --otp § --user me",
		"run --token='§' --user me",
		"password: §\nuser: me",
		"- jwt: '§'\n- user: me",
		"a: {ssh_key: §, user: me}",
		"token: |\n  §\nuser: me",
		`got {"password": "§"} from`,
		`got {\"password\": \"§\"} from`,
		"got {'password': '§'} from",
		"curl -H 'Authorization: Bearer §'",
		"Authorization: Digest §",
		"X-Session-Id: §\r\nHost: h",
		"ALTER ROLE me PASSWORD '§' VALID",
		"CREATE USER me IDENTIFIED BY '§'",
		"insert into t(a,token) values(1,'§')",
		"INSERT INTO t (`pwd`, b) VALUES ('§', f(1)), ('§', ')');",
		"REPLACE INTO t (id, token) VALUES (1, '§'); UPDATE u SET [pwd] = N'§', x = PASSWORD('§')",
		`os.environ["TOKEN"] = "§"; token = """§"""; /x?password[a][b]=§`,
		`<input value="§" name="password">`,
		"name,value\npassword,§\nuser,me\n",
		"# comment\nid,token,name\n1,§,me,more\n",
		`{"args": ["run", "--token", "§", "--user", "me"]}`,
		`refused {"token": {"v": ["§"]}, "a": [{"v": "§", "k": "otp"}]} here`,
		"'password':\n  §",
		"<password>§</password><user>me</user>",
		`<db password="§" user="me"/>`,
		`<add key="password" value="§"/>`,
		`<entry key="password">§</entry>`,
		"<key>token</key> <string>§</string>",
		"id,api_key,name\n1,§,me\n2,\"§\",\"a,b\"\n",
		"id\tcredentials\n1\t§\n",
		`{"password": {"v": "§", "on": true, "more": ["§", null]}}`,
		`{"params": [{"name": "password", "value": "§"}]}`,
		`{"params": [{"Value": "§", "Key": "password"}]}`,
		`[["Authorization", "§"], ["Accept", "x"]]`,
		`{"note": "login with password=§"}`,
		`{"PaSsWoRd": "§"}`,
		"INSERT INTO t (`pwd`, b) VALUES ('§', f(1)), ('§', ')');",
		"REPLACE INTO t (id, token) VALUES (1, '§'); UPDATE u SET [pwd] = N'§', x = PASSWORD('§')",
		`os.environ["TOKEN"] = "§"; token = """§"""; /x?password[a][b]=§`,
		`<input value="§" name="password">`,
		"name,value\npassword,§\nuser,me\n",
		"# comment\nid,token,name\n1,§,me,more\n",
		`{"args": ["run", "--token", "§", "--user", "me"]}`,
		`refused {"token": {"v": ["§"]}, "a": [{"v": "§", "k": "otp"}]} here`,
		"'password':\n  §",
	} {
		want := strings.ReplaceAll(text, "§", mark)
		if got := redactor.Value(strings.ReplaceAll(text, "§", "geheim42"), specs.Part{}); got != want {
			t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
		}
	}
	for text, want := range map[string]string{ // of which more is taken out
		"%7B%22pwd%22%3A%22geheim42%22%7D":  url.QueryEscape(`{"pwd":"` + mark + `"}`),
		"<token><![CDATA[geheim]]></token>": "<token>" + redactor.Hash("<![CDATA[geheim]]>") + "</token>",
		"token:\n- geheim\nuser: me":        "token:\n" + redactor.Hash("- geheim") + "\nuser: me",
		"<name>token</name><value><string>a</string></value>": "<name>token</name><value>" +
			redactor.Hash("<string>a</string>") + "</value>",
		"/a;jsessionid=geheim?x=1":    "/a;jsessionid=" + redactor.Hash("geheim?x=1"),
		"got {token: {v: geheim}} at": "got {token: " + redactor.Hash("{v: geheim}") + "} at",
	} {
		if got := redactor.Value(text, specs.Part{}); got != want {
			t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
		}
	}
	for _, text := range []string{ // of which nothing is
		"password=",
		"password=${secret:db}",
		`password="" user=me`,
		"passes=1 failed=2",
		"pass=12 fail=3",
		"session_id: 50302",
		"max_tokens=100&token_count=7",
		"the password is too short: want 8 letters",
		"see secret://vault/db",
		"if token != x then",
		"password: null",
		"07:54:14 all = fine",
		"<password/>",
		"id,name\n1,me\n",
		`{"pass": 12, "sessionId": "50302"}`,
		`{"name": "password", "type": "string"}`,
		`{"required": ["password", "email"]}`,
		`{"token": null, "password": true, "otp":""}`,
	} {
		if got := redactor.Value(text, specs.Part{}); got != text {
			t.Errorf("(-want +got):\n%s", cmp.Diff(text, got))
		}
	}
}

// A document decides on a list or an object under the name of a secret that it describes, and on session ids.
func TestDocumentsDecide(t *testing.T) {
	t.Parallel()
	core, err := specs.Load(specs.Core, "")
	if err != nil {
		t.Fatal(err)
	}
	workflow, err := specs.Load(specs.Workflow, "")
	if err != nil {
		t.Fatal(err)
	}
	redactor := &recording.Redactor{}
	for _, tt := range []struct {
		op      *specs.Operation
		body    string
		isClean bool
	}{
		{
			core.Operation("exportPolicies"), `{"policies":[{"permissions":{"ProfilesApiToken":[{"operation":"view"}]}}]}`,
			true,
		},
		{core.Operation("listJobs"), `{"policies":[{"permissions":{"ProfilesApiToken":[{"operation":"view"}]}}]}`, false},
		{workflow.Operation("listSessions"), `{"sessions":[{"lastAttempt":{"sessionId":"a-b"}}]}`, false},
		{workflow.Operation("getAttempt"), `{"sessionId":"a-b"}`, true},
		{workflow.Operation("getAttempt"), `{"x":{"sessionId":"a-b"}}`, false},
	} {
		e := redactor.Redact(&recording.Exchange{
			Request:  recording.Request{URL: "http://h/"},
			Response: &recording.Response{Status: 200, Body: &recording.Body{Bytes: []byte(tt.body)}},
		}, tt.op)
		if got := string(e.Response.Body.Bytes); (got == tt.body) != tt.isClean || !json.Valid(e.Response.Body.Bytes) {
			t.Errorf("%s: %s", tt.op.Name(), got)
		}
	}
}

// A note may repeat what was sent, by itself or behind its name.
func TestNotesRepeatNoSecret(t *testing.T) {
	t.Parallel()
	e := (&recording.Redactor{}).Redact(&recording.Exchange{
		Request: recording.Request{URL: "http://h/?token=geheim42"}, Notes: []string{
			`near "geheim42": no`,
			"password=geheim43",
		},
	}, nil)
	if got := strings.Join(e.Notes, "\n"); strings.Contains(got, "geheim") || !strings.Contains(got, `near "[redacted:`) {
		t.Errorf("notes: %s", got)
	}
}
