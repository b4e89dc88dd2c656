package judge_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// libraryCase holds the input of a test of libopenapi-validator, and the verdict that it wants. Both are in the source
// of the test: a document, a request, perhaps a response, a call such as v.ValidateQueryParams(request), and
// assert.True(t, valid).
type libraryCase struct {
	name     string // of the test function, and a number if it has several
	document string
	call     string // the method of the validator
	exchange recording.Exchange
	valid    bool
}

// libraryTest reads the statements of one test function in their order. A value that it cannot work out is nil, and
// whatever depends on it is left out.
type libraryTest struct {
	name     string
	values   map[string]any // of variables
	document string
	call     string
	cases    []libraryCase
	skipped  int // assertions that it cannot give to check
}

// folderOf returns where the source of a module is, in the cache of modules.
func folderOf(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

// libraryCases reads the tests in files of a module.
func libraryCases(t *testing.T, module string, files ...string) (cases []libraryCase, skipped int) {
	t.Helper()
	folder := folderOf(t, module)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if !isFunc || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			x := &libraryTest{name: f.Name.Name, values: map[string]any{}}
			x.block(f.Body)
			cases, skipped = append(cases, x.cases...), skipped+x.skipped
		}
	}
	return cases, skipped
}

func (x *libraryTest) block(b *ast.BlockStmt) {
	for _, statement := range b.List {
		switch s := statement.(type) {
		case *ast.AssignStmt:
			x.assign(s)
		case *ast.ExprStmt:
			x.value(s.X)
		case *ast.BlockStmt:
			x.block(s)
		}
	}
}

func (x *libraryTest) assign(s *ast.AssignStmt) {
	value := x.value(s.Rhs[0])
	name, isName := s.Lhs[0].(*ast.Ident)
	if !isName || len(s.Rhs) > 1 {
		return
	}
	x.values[name.Name] = value
	if text, isText := value.(string); isText && strings.Contains(text, "openapi:") {
		x.document = text
	}
}

// answered is the handler of a test, which answers.
type answered struct{ *recording.Response }

func (x *libraryTest) value(e ast.Expr) any {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
		return json.Number(e.Value)
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return e.Name == "true"
		}
		return x.values[e.Name]
	case *ast.SelectorExpr:
		return constants[e.Sel.Name]
	case *ast.UnaryExpr:
		return x.value(e.X)
	case *ast.BinaryExpr:
		one, isText := x.value(e.X).(string)
		other, isTextToo := x.value(e.Y).(string)
		if isText && isTextToo {
			return one + other
		}
	case *ast.CompositeLit:
		return x.composite(e)
	case *ast.FuncLit:
		inner := *x
		inner.values = maps.Clone(x.values)
		inner.values["w"], inner.cases, inner.skipped = answered{&recording.Response{Status: 200}}, nil, 0
		inner.block(e.Body)
		x.cases, x.skipped = append(x.cases, inner.cases...), x.skipped+inner.skipped
		return inner.values["w"]
	case *ast.CallExpr:
		return x.callOf(e)
	}
	return nil
}

// constants are those of net/http and of the library that its tests use.
var constants = map[string]any{
	"MethodGet": "GET", "MethodPost": "POST", "MethodPut": "PUT", "MethodPatch": "PATCH", "MethodDelete": "DELETE",
	"MethodHead": "HEAD", "MethodOptions": "OPTIONS", "ContentTypeHeader": "Content-Type",
	"JSONContentType": "application/json", "StatusOK": json.Number("200"), "StatusBadRequest": json.Number("400"),
	"StatusCreated": json.Number("201"), "StatusNotFound": json.Number("404"), "StatusNoContent": json.Number("204"),
	"StatusInternalServerError": json.Number("500"), "StatusUnprocessableEntity": json.Number("422"),
	"JSONType": "application/json", "NoBody": "", "URLEncodedContentType": "application/x-www-form-urlencoded",
}

// composite returns a list, or an object with the keys of a map or of a structure.
func (x *libraryTest) composite(e *ast.CompositeLit) any {
	list, object := []any{}, map[string]any{}
	for _, element := range e.Elts {
		pair, isPair := element.(*ast.KeyValueExpr)
		if !isPair {
			list = append(list, x.value(element))
			continue
		}
		key, isText := x.value(pair.Key).(string)
		if name, isName := pair.Key.(*ast.Ident); isName && !isText {
			key = name.Name
		}
		object[key] = x.value(pair.Value)
	}
	if _, isList := e.Type.(*ast.ArrayType); isList {
		return list
	}
	return object
}

func (x *libraryTest) callOf(e *ast.CallExpr) any {
	args := make([]any, len(e.Args))
	for i, a := range e.Args {
		args[i] = x.value(a)
	}
	text := func(i int) string {
		text, _ := args[i].(string)
		return text
	}
	selector, isMethod := e.Fun.(*ast.SelectorExpr)
	if !isMethod {
		if len(args) == 1 { // a conversion, such as []byte(text)
			return args[0]
		}
		return nil
	}
	on := x.value(selector.X)
	if inner, isCall := selector.X.(*ast.CallExpr); isCall { // w.Header().Set
		if of, isSelector := inner.Fun.(*ast.SelectorExpr); isSelector && of.Sel.Name == "Header" {
			on = x.value(of.X)
		}
	}
	if inner, isSelector := selector.X.(*ast.SelectorExpr); isSelector && inner.Sel.Name == "Header" { // request.Header.Set
		on = x.value(inner.X)
	}
	switch name := selector.Sel.Name; {
	case name == "NewRequest":
		request := &recording.Request{Method: text(0), URL: text(1)}
		if body, hasBody := args[2].(string); hasBody {
			request.Body = &recording.Body{Bytes: []byte(body)}
		} else if ident, isIdent := e.Args[2].(*ast.Ident); !isIdent || ident.Name != "nil" {
			return nil
		}
		return request
	case name == "Marshal":
		encoded, err := json.Marshal(args[0])
		if _, isStruct := args[0].(map[string]any); err == nil && (isStruct || args[0] != nil) {
			return string(encoded)
		}
	case slices.Contains([]string{"NewBuffer", "NewBufferString", "NewReader", "NopCloser", "HandlerFunc"}, name):
		return args[0]
	case name == "Sprintf" && !strings.Contains(text(0), "%w"):
		return fmt.Sprintf(text(0), args[1:]...)
	case name == "Set" || name == "Add":
		switch on := on.(type) {
		case *recording.Request:
			on.Headers = append(on.Headers, [2]string{text(0), text(1)})
		case answered:
			on.Headers = append(on.Headers, [2]string{text(0), text(1)})
		}
	case name == "AddCookie":
		cookie, _ := args[0].(map[string]any)
		if request, isRequest := on.(*recording.Request); isRequest {
			written := (&http.Cookie{Name: fmt.Sprint(cookie["Name"]), Value: fmt.Sprint(cookie["Value"])}).String()
			request.Headers = append(request.Headers, [2]string{"Cookie", written})
		}
	case name == "WriteHeader":
		if w, isAnswer := on.(answered); isAnswer {
			w.Status, _ = strconv.Atoi(fmt.Sprint(args[0]))
		}
	case name == "Write":
		if w, isAnswer := on.(answered); isAnswer {
			w.Body = &recording.Body{Bytes: []byte(text(0))}
		}
	case name == "Result":
		return on
	case name == "NewRecorder":
		return answered{&recording.Response{Status: 200}}
	case name == "Run" && len(args) == 2: // of a test in a test, which has been read
	case strings.HasPrefix(name, "Validate"):
		x.call = name
		x.values["(given)"] = args
	case name == "True" || name == "False":
		if ident, isIdent := e.Args[len(args)-1].(*ast.Ident); isIdent && ident.Name == "valid" {
			x.note(name == "True")
		}
	}
	return nil
}

// note adds a case with what was given to the validator last.
func (x *libraryTest) note(valid bool) {
	one := libraryCase{name: x.name, document: x.document, call: x.call, valid: valid}
	given, _ := x.values["(given)"].([]any)
	for _, value := range given {
		switch value := value.(type) {
		case *recording.Request:
			one.exchange.Request = *value
		case answered:
			response := *value.Response
			one.exchange.Response = &response
		}
	}
	isAnswer := strings.HasPrefix(x.call, "ValidateResponse")
	if one.document == "" || one.exchange.Request.URL == "" || places[x.call] == nil ||
		isAnswer && one.exchange.Response == nil {
		x.skipped++
		return
	}
	if len(x.cases) > 0 {
		one.name += fmt.Sprintf("#%d", len(x.cases)+1)
	}
	x.cases = append(x.cases, one)
}

// places are where findings count for a method of the validator.
var places = map[string][]string{
	"ValidateQueryParams": {"/request/query", "/request/url"}, "ValidateHeaderParams": {"/request/header", "/request/url"},
	"ValidateCookieParams": {"/request/cookie", "/request/url"}, "ValidatePathParams": {"/request/path", "/request/url"},
	"ValidateRequestBody": {"/request/body", "/request/headers/Content-Type", "/request/url"},
	"ValidateSecurity":    {"/request"}, "ValidateResponseBody": {"/response", "/request/url"},
}

var hasInfo = regexp.MustCompile(`(?m)^info:`)

// verdict judges a case: valid, invalid, or why it cannot be judged.
func (c *libraryCase) verdict() string {
	text := c.document
	if !hasInfo.MatchString(text) {
		text = strings.TrimRight(text, "\n") + "\ninfo: {title: t, version: '1'}\n"
	}
	d, err := specs.Parse("library", "library.yaml", []byte(text), specs.Neutral)
	if err != nil {
		return "not loaded: " + strings.ReplaceAll(strings.TrimPrefix(err.Error(), "load library.yaml: "), "\n", " ")
	}
	origin, err := url.Parse(c.exchange.Request.URL)
	if err != nil {
		return "not loaded: " + err.Error()
	}
	j, err := judge.New(judge.Config{
		Documents: []*specs.Document{d}, Engine: libopenapi.New(),
		Bases: map[specs.Interface][]string{"library": append(d.ServerURLs(), origin.Scheme+"://"+origin.Host+d.BasePath)},
	})
	if err != nil {
		return "not loaded: " + err.Error()
	}
	e := c.exchange
	if e.Response == nil {
		e.Response = &recording.Response{Status: 200}
	}
	r := j.Exchange(record.Item{Exchange: &e, Position: record.Position{File: "library", Number: 1, Line: 1}})
	if c.call == "ValidateSecurity" && r.Credentials == judge.Absent {
		return "invalid"
	}
	verdict := "valid"
	for _, f := range r.Findings {
		isThere := slices.ContainsFunc(places[c.call], func(place string) bool { return strings.HasPrefix(f.Pointer, place) })
		isThere = isThere || f.Verdict == report.Inconclusive && strings.Contains(f.Message, "OpenAPI does not define")
		switch {
		case !isThere || f.Severity != report.Error && f.Verdict != report.Inconclusive:
		case f.Verdict == report.Inconclusive && verdict == "valid":
			verdict = "not judged: " + f.Message
		case f.Verdict == report.Fail && f.Disputed:
			verdict = "disputed: " + f.Message
		case f.Verdict == report.Fail:
			verdict = "invalid: " + f.Message
		}
	}
	return verdict
}

// reasonFor returns why a case has another result, or the empty string.
func (c *libraryCase) reasonFor(verdict string) string {
	for _, known := range [][3]string{ // of the name, of the verdict
		{"", "not loaded", "the document is none of OpenAPI: a part of it has another type than the specification says"},
		{"StrictMode", "valid", "strict mode is an option; what is undeclared is rule undeclared-field's"},
		{"SecurityValidationDisabled", "invalid", "an option there lets everything pass"},
		{"Enabled_vs_Disabled", "invalid", "an option there lets everything pass"},
		{"AuthenticationFunc", "invalid", "a function of the caller's looks at the credentials there"},
		{"UnknownSchemeType", "invalid", "OAuth 2 is a bearer token (RFC 6750), which is not there"},
		{"UnknownInLocation", "invalid", "a scheme must be in a header, the query or a cookie (Security Scheme Object)"},
		{"MissingSecuritySchemes", "valid", "the document has no such scheme (Security Requirement Object), so that nothing is asked for"},
		{"NoComponents", "valid", "the document has no such scheme (Security Requirement Object), so that nothing is asked for"},
		{"EncodedPath", "valid", "a name is the whole of its template expression, without . ; or * (Path Templating)"},
		{"EumInvalid", "valid", "a name is the whole of its template expression, without . ; or * (Path Templating)"},
		{"QueryParamTrace", "invalid", "the request of the test has no method"},
		{"ValidEnumStringType", "invalid", "form is exploded by default, so that a comma is a part of an item (Parameter Object, explode)"},
		{"FormEncodingArray", "invalid", "form is exploded by default, so that a comma is a part of an item (Parameter Object, explode)"},
		{"ValidExplodedType", "valid", "an exploded list of texts may have one with a comma (Parameter Object, explode)"},
		{"InValidObjectArrayNoExplode", "valid", "an exploded list of texts may have one with a comma (Parameter Object, explode)"},
		{"QueryParamValidTypeObject", "not judged", "objects in a list of a query are not defined (Parameter Object, style)"},
		{"NestedDeepObject", "not judged", "objects in a deepObject are not defined (Parameter Object, style)"},
		{"PropTypeFloat", "invalid", "a parameter with content is there once (Parameter Object)"},
		{"AllowReserved", "valid", "a query may have the character as it is (RFC 3986, 3.4)"},
		{"Wildcard_end", "not judged", "how the media type stands for an object is not defined"},
		{"Wildcards", "invalid", "the text of a body decides its type where the document takes any"},
		{"SkipValidationForNonJSON", "not judged", "how YAML stands for an object is not defined by OpenAPI 3.0 and 3.1"},
		{"StaleGetBody", "", "the test changes the body of a request behind its back"},
		{"ConsumedDifferentBody", "", "the test changes the body of a request behind its back"},
		{"SchemaHasNoRequestBody", "invalid", "an operation that is null is none (Path Item Object)"},
		{"NoBodyNoNothing", "invalid", "an operation that is null is none (Path Item Object)"},
		{"Xml", "", "XML is not read; its schema is not judged"},
		{"XML", "", "XML is not read; its schema is not judged"},
		{"URLEncoded", "not judged", "the handler of the test is not called, so that there is no body"},
		{"TestCustomContentParameter", "valid", "the test changes what decodes parameters"},
	} {
		if strings.Contains(c.name, known[0]) && strings.HasPrefix(verdict, known[1]) {
			return known[2]
		}
	}
	return ""
}

// The tests of libopenapi-validator, run against the judging of exchanges. Each of them that wants another result
// stands in a table, with the reason. UPDATE=1 writes the table.
func TestLibraryCases(t *testing.T) {
	t.Parallel()
	const table = "testdata/library_cases.txt"
	var rows []string
	agreed := 0
	cases, skipped := libraryCases(t, "github.com/pb33f/libopenapi-validator",
		"parameters/content_parameter_test.go", "parameters/cookie_parameters_test.go",
		"parameters/header_parameters_test.go", "parameters/path_parameters_test.go",
		"parameters/query_parameters_test.go", "parameters/validate_security_test.go",
		"requests/kin_parity_test.go", "requests/validate_body_test.go",
		"responses/kin_parity_test.go", "responses/validate_body_test.go", "responses/validate_headers_test.go")
	for _, c := range cases {
		verdict := c.verdict()
		kind, _, _ := strings.Cut(verdict, ":")
		if kind == map[bool]string{true: "valid", false: "invalid"}[c.valid] {
			agreed++
			continue
		}
		reason := c.reasonFor(verdict)
		if reason == "" {
			t.Errorf("%s: %s: valid is %v there, here it is %s", c.name, c.call, c.valid, verdict)
		}
		rows = append(rows, fmt.Sprintf("%s | %s | %s", c.name, kind, reason))
	}
	slices.Sort(rows)
	got := fmt.Sprintf("%d of %d agree; %d are not read\n%s\n", agreed, len(cases), skipped, strings.Join(rows, "\n"))
	isTable(t, table, got)
}

// isTable compares a table with the one in a file, which UPDATE=1 writes anew.
func isTable(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
