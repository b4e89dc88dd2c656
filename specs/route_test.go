package specs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

func TestFind(t *testing.T) {
	t.Parallel()
	doc := load(t, specs.Workflow)
	for _, test := range []struct {
		name, method, path   string
		operation, id, allow string
	}{
		{"a fixed path", "GET", "/api/pools", "listPools", "", "GET, POST"},
		{"a parameter", "DELETE", "/api/pools/12", "deletePool", "12", "GET, PATCH, DELETE"},
		{"an escaped slash stays in its segment", "GET", "/api/pools/1%2F2", "getPool", "1/2", "GET, PATCH, DELETE"},
		{"a known path, an unknown method", "POST", "/api/pools/12", "", "12", "GET, PATCH, DELETE"},
		{"a slash between empty segments", "GET", "/api/pools//12", "getPool", "12", "GET, PATCH, DELETE"},
		{"an escaped slash at the end of a value", "GET", "/api/pools/12%2F", "getPool", "12/", "GET, PATCH, DELETE"},
		{"escaped slashes in a row", "GET", "/api/pools/1%2F%2F2", "getPool", "1//2", "GET, PATCH, DELETE"},
		{"a trailing slash", "GET", "/api/pools/12/", "getPool", "12", "GET, PATCH, DELETE"},
		{"a trailing slash in place of a parameter", "GET", "/api/pools/", "listPools", "", "GET, POST"},
		{"two trailing slashes", "GET", "/api/pools/12//", "getPool", "12", "GET, PATCH, DELETE"},
		{"slashes before the path", "GET", "///api/pools", "listPools", "", "GET, POST"},
		{"a dot segment", "GET", "/api/../api/pools", "", "", ""},
		{"a broken escape", "GET", "/api/pools/%zz", "", "", ""},
		{"an unknown path", "GET", "/api/ponds", "", "", ""},
		{"an unknown method", "BREW", "/api/pools", "", "", "GET, POST"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			match := doc.Find(test.method, test.path)
			operation := ""
			if match.Operation != nil {
				operation = match.Operation.ID
			}
			got := []string{operation, match.Param("poolId"), match.Allow}
			if diff := cmp.Diff([]string{test.operation, test.id, test.allow}, got); diff != "" {
				t.Errorf("match (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("every operation is found by its own path", func(t *testing.T) {
		t.Parallel()
		for _, name := range append(specs.Interfaces(), specs.Control) {
			doc := load(t, name)
			for _, op := range doc.Operations {
				path := strings.NewReplacer("{", "", "}", "").Replace(op.Path)
				if match := doc.Find(op.Method, path); match.Operation != op {
					t.Errorf("%s %s finds %v, want %s", op.Method, path, match.Operation, op.ID)
				}
			}
		}
	})
	t.Run("a trailing slash makes no difference to any operation", func(t *testing.T) {
		t.Parallel()
		for _, name := range append(specs.Interfaces(), specs.Control) {
			for _, op := range load(t, name).Operations {
				path := strings.NewReplacer("{", "", "}", "").Replace(op.Path)
				other := path + "/"
				if short, found := strings.CutSuffix(path, "/"); found {
					other = short
				}
				if match := op.Document.Find(op.Method, other); match.Operation != op {
					t.Errorf("%s %s finds %v, want %s", op.Method, other, match.Operation, op.ID)
				}
			}
		}
	})
	for segment, want := range map[string][2]string{
		"orders":             {"orders", ""},
		"orders.json":        {"orders", ".json"},
		"orders.msgpack":     {"orders", ".msgpack"},
		"orders.csv":         {"orders.csv", ""},
		"orders.json.json":   {"orders.json", ".json"},
		".json":              {".json", ""},
		"orders.msgpack%2Ex": {"orders.msgpack.x", ""},
	} {
		t.Run("a parameter that is glued to another, in "+segment, func(t *testing.T) {
			t.Parallel()
			match := load(t, specs.Core).Find("GET", "/table/tail/shop/"+segment)
			got := [2]string{match.Param("table_name"), match.Param("path_format")}
			if match.Operation == nil || match.Operation.ID != "tailTable" || got != want ||
				match.Param("database_name") != "shop" {
				t.Errorf("finds %v with %q, want %q", match.Operation, got, want)
			}
		})
	}
	t.Run("an unknown path resembles a documented one", func(t *testing.T) {
		t.Parallel()
		if got, want := doc.Nearest("GET", "/api/pool/12"), "GET /api/pools/{poolId}"; got != want {
			t.Errorf("nearest is %s, want %s", got, want)
		}
	})
}

// OpenAPI 3.0 and 3.1, Path Templating; RFC 3986, 6.2.2.
func TestFindInADocumentOfAUsers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ paths, request, want string }{
		"a method that the concrete path lacks":        {"/a/{x}: GET, /a/b: POST", "GET /a/b", "GET /a/{x}"},
		"a method that it has":                         {"/a/{x}: GET, /a/b: POST", "POST /a/b", "POST /a/b"},
		"a method that both have":                      {"/a/{x}: GET, /a/b: GET", "GET /a/b", "GET /a/b"},
		"a method that neither has":                    {"/a/{x}: GET, /a/b: POST", "PUT /a/b", ""},
		"another template of the method":               {"/a/{x}/c: GET, /a/b/{x}: POST", "GET /a/b/c", "GET /a/{x}/c"},
		"a slash at the end":                           {"/a: GET, /a/: GET", "GET /a/", "GET /a/"},
		"no slash at the end":                          {"/a/: GET, /a: GET", "GET /a", "GET /a"},
		"an asterisk, which stands for itself":         {"/a/*/b: GET, /a/{x}/b: GET", "GET /a/c/b", "GET /a/{x}/b"},
		"an asterisk":                                  {"/a/*/b: GET, /a/{x}/b: GET", "GET /a/*/b", "GET /a/*/b"},
		"escaped without need":                         {"/a~b!c: GET", "GET /a%7Eb%21c", "GET /a~b!c"},
		"an escape in small letters":                   {"/a%2Fb: GET", "GET /a%2fb", "GET /a%2Fb"},
		"brackets":                                     {"/a[b]: GET", "GET /a%5Bb%5D", "GET /a[b]"},
		"nine parameters":                              {"/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}: GET", "GET /1/2/3/4/5/6/7/8/9", "GET /{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}"},
		"two that differ in names of parameters alone": {"/a/{x}: GET, /a/{y}: GET", "GET /a/b", "GET /a/{x}"},
	} {
		var paths strings.Builder
		for path := range strings.SplitSeq(test.paths, ", ") {
			at, method, _ := strings.Cut(path, ": ")
			fmt.Fprintf(&paths, "'%s': {%s: {responses: {'200': {description: a}}}}, ", at, strings.ToLower(method))
		}
		d, err := specs.Parse("shop", "own.yaml", []byte("{openapi: 3.0.3, info: {title: a, version: '1'}, paths: {"+paths.String()+"}}"), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		method, path, _ := strings.Cut(test.request, " ")
		got := ""
		if op := d.Find(method, path).Operation; op != nil {
			got = op.Method + " " + op.Template
		}
		if got != test.want {
			t.Errorf("%s: %q finds %q, want %q", name, test.request, got, test.want)
		}
	}
}

// A value may have in it what ends it.
func TestParametersThatEndWithinASegment(t *testing.T) {
	t.Parallel()
	const paths = "'/apis/{x}.json', '/apis/{x}', '/{x}/{y}.json', '/{x}:run', '/{x}.{y}.csv', '/of/{x};v={y}', '/at/{x}%20{y}'"
	var items strings.Builder
	for path := range strings.SplitSeq(paths, ", ") {
		fmt.Fprintf(&items, "%s: {get: {responses: {'200': {description: a}}}}, ", path)
	}
	d, err := specs.Parse("shop", "own.yaml", []byte("{openapi: 3.0.3, info: {title: a, version: '1'}, paths: {"+items.String()+"}}"), "")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/apis/a.json":        "/apis/{x}.json a",
		"/apis/2.1.0.json":    "/apis/{x}.json 2.1.0",
		"/apis/2%2E1.json":    "/apis/{x}.json 2.1",
		"/apis/a.json.json":   "/apis/{x}.json a.json",
		"/apis/2.1.0":         "/apis/{x} 2.1.0",
		"/apis/.json":         "",
		"/a.b/c.d.json":       "/{x}/{y}.json a.b c.d",
		"/urn:a:1:run":        "/{x}:run urn:a:1",
		"/2.1.csv":            "/{x}.{y}.csv 2 1",
		"/3.2.1.csv":          "/{x}.{y}.csv 3.2 1",
		"/of/a;b;v=1":         "",
		"/of/a;v=1":           "/of/{x};v={y} a 1",
		"/at/a%20b":           "/at/{x}%20{y} a b",
		"/apis/%zz.json":      "",
		"/apis/a%2Fb.c.json":  "/apis/{x}.json a/b.c",
		"/apis/a.json/c.json": "",
	} {
		m, got := d.Find("GET", path), ""
		if m.Operation != nil {
			got = strings.TrimSpace(m.Operation.Template + " " + m.Param("x") + " " + m.Param("y"))
		}
		if got != want {
			t.Errorf("%s finds %q, want %q", path, got, want)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	doc := load(b, specs.Workflow)
	b.ReportAllocs()
	for b.Loop() {
		doc.Find("GET", "/api/projects/12/workflows/daily")
	}
}

func FuzzFind(f *testing.F) {
	f.Add("GET", "/api/pools/%31")
	doc := load(f, specs.Workflow)
	f.Fuzz(func(t *testing.T, method, path string) {
		match := doc.Find(method, path)
		if match.Operation != nil && match.Operation.Method != method {
			t.Errorf("%s %s finds %s", method, path, match.Operation.ID)
		}
	})
}

func TestBelow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, prefix, want string }{
		{"/core/v3/job", "/core", "/v3/job"},
		{"/core", "/core", ""},
		{"//core//v3/job", "/core/v3", "/job"},
		{"/core//v3//job/", "/core/v3", "//job/"},
		{"//job", "", "//job"},
		{"/cores/v3", "/core", "not below"},
		{"//cores/v3", "/core", "not below"},
		{"/co//re", "/core", "not below"},
		{"core//v3", "/core", "not below"},
		{"/core%2Fv3//a", "/core/v3", "not below"},
		{"//v3", "/core/v3", "not below"},
	} {
		rest, ok := specs.Below(test.path, test.prefix)
		if !ok {
			rest = "not below"
		}
		if rest != test.want {
			t.Errorf("%s below %s: %q, want %q", test.path, test.prefix, rest, test.want)
		}
	}
}

func TestCutWorld(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][2]string{
		"/_worlds/a/core/v3":    {"a", "/core/v3"},
		"//_worlds//a//core/v3": {"a", "//core/v3"},
		"/_worlds/a":            {"a", ""},
		"/_worlds/a/":           {"a", "/"},
		"/_worldsa/core":        {"", "/_worldsa/core"},
		"//core":                {"", "//core"},
	} {
		if world, rest := specs.CutWorld(path); [2]string{world, rest} != want {
			t.Errorf("%s: world %q, rest %q; want %q", path, world, rest, want)
		}
	}
}

// Paths may have characters that addresses escape.
func TestPathsWithCharactersThatAreEscaped(t *testing.T) {
	t.Parallel()
	for path, address := range map[string]string{
		"/some path": "/some%20path", "/a b/{id}": "/a%20b/1", "/ä": "/%C3%A4", `/a"b`: "/a%22b", "/a|b": "/a%7Cb",
		"/a^b/c d": "/a%5Eb/c%20d", "/plain(1)": "/plain(1)", "/a%20b": "/a%20b",
	} {
		text := `{openapi: 3.0.3, info: {title: t, version: '1'}, paths: {'` + path +
			`': {get: {responses: {'200': {description: a}}}}}}`
		d, err := specs.Parse("shop", "shop.yaml", []byte(text), specs.Neutral)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if m := d.Find("GET", address); m.Operation == nil {
			t.Errorf("%s is not found at %s", path, address)
		}
	}
}
