package mockserver_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
)

// With a brand, nothing that the mock writes has the neutral word, in any case: no answer of any operation, no journal,
// recording, log line, state or document. Texts that users wrote are theirs; in this test they have none of it.
func TestBrandIsEverywhere(t *testing.T) {
	t.Parallel()
	w := newWitness(t, "full-account")
	for _, iface := range specs.Interfaces() {
		document, err := specs.Readable(iface, brandWord)
		if err != nil {
			t.Fatal(err)
		}
		for _, operation := range document.All() {
			w.in(func(w *witness) { w.callExample(operation) })
			if p, ok := trials[operation.Name()]; ok {
				w.in(func(w *witness) {
					fill := filler(t, w, w.server.World("").Now())
					knock(t, w, operation, fill(p.grants), fill(p.grantBody))
					knock(t, w, operation, fill(p.refuses), fill(p.refuseBody))
				})
			}
		}
	}
	w.callChatapp()
	w.transferTable()
	w.in(func(w *witness) { w.downloadArchives() })
	w.play("testdata/brand.txtar")
	w.finish()
	var missing []string
	for _, e := range specs.Catalogue() {
		if !w.granted[e.Name()] {
			missing = append(missing, e.Name())
		}
	}
	if len(missing) > 0 {
		t.Errorf("no call has succeeded with %s: the examples of the documents name what is not there; add calls to "+
			"testdata/brand.txtar", strings.Join(missing, ", "))
	}
}

// The stories of all scenarios can be played in a brand.
func TestStoriesPlayInABrand(t *testing.T) {
	t.Parallel()
	checker := checktest.New(t, contract.WithBrand(brandWord))
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWitness(t, name)
			w.play(filepath.Join("..", "scenarios", name, "story.txtar"))
			w.finish()
			checktest.WantConform(t, checker, w.server.World(""))
		})
	}
}

// play plays a story, in the brand's words.
func (w *witness) play(file string) {
	w.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		w.Fatal(err)
	}
	branded := filepath.Join(w.TempDir(), filepath.Base(file))
	if err := os.WriteFile(branded, specs.Brand(brandWord).Apply(text), 0o600); err != nil {
		w.Fatal(err)
	}
	w.Run("story", func(t *testing.T) {
		story.Run(t, branded, func() (story.Server, error) {
			return story.Server{Handler: w, Brand: brandWord}, nil
		})
	})
}

// callExample calls an operation as the examples in its document do.
func (w *witness) callExample(operation *specs.Operation) {
	path, query, id := operation.Path, url.Values{}, ""
	for _, ref := range operation.Parameters {
		example := fmt.Sprint(exampleOf(ref.Value.Example, ref.Value.Examples))
		if n, isNumber := ref.Value.Example.(float64); isNumber {
			example = fmt.Sprintf("%.0f", n)
		}
		switch {
		case ref.Value.In == openapi3.ParameterInQuery && ref.Value.Required:
			query.Set(ref.Value.Name, example)
		case ref.Value.In == openapi3.ParameterInPath && operation.Interface == specs.LLM:
			id = w.resource(operation)
			path = strings.ReplaceAll(path, "{id}", id)
		case ref.Value.In == openapi3.ParameterInPath:
			path = strings.ReplaceAll(path, "{"+ref.Value.Name+"}", url.PathEscape(example))
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	media, body := bodyExample(w, operation, id)
	w.call(operation.Method, "/"+string(operation.Interface)+operation.Document.BasePath+path, body, media)
}

func (w *witness) call(method, target, body, media string) mocktest.Answer {
	w.Helper()
	return mocktest.Call(w.T, w, method, target, body, "Content-Type", media)
}

// resource is the id of a resource of the collection that an operation of the LLM interface is for: one that is made
// after the example in the document, or else the first there is.
func (w *witness) resource(operation *specs.Operation) string {
	collection, _, _ := strings.Cut(operation.Path, "/{id}")
	if create := operation.Document.Find("POST", collection).Operation; create != nil {
		media, body := bodyExample(w, create, "")
		if a := w.call("POST", "/llm"+collection, body, media); a.Status == 201 {
			return mocktest.Decode[one](a).Data.ID
		}
	}
	list := mocktest.Decode[struct{ Data []struct{ ID string } }](w.call("GET", "/llm"+collection, "", ""))
	if len(list.Data) == 0 {
		return "none"
	}
	return list.Data[0].ID
}

// bodyExample is the example of an operation's request body, as JSON, for the resource with an id.
func bodyExample(w *witness, operation *specs.Operation, id string) (media, body string) {
	if operation.Spec.RequestBody == nil {
		return "", ""
	}
	content := operation.Spec.RequestBody.Value.Content
	for _, media := range slices.Sorted(maps.Keys(content)) {
		example := exampleOf(content[media].Example, content[media].Examples)
		if example == nil {
			continue
		}
		text, err := json.Marshal(example)
		if v := jsontree.Parse(text); v.Get("data", "id").Exists() {
			text = []byte(v.With(strconv.Quote(id), "data", "id"))
		}
		if err != nil {
			w.Fatal(err)
		}
		return "application/json", string(text)
	}
	return "", ""
}

func exampleOf(one any, several openapi3.Examples) any {
	if one != nil {
		return one
	}
	for _, name := range slices.Sorted(maps.Keys(several)) {
		return several[name].Value.Value
	}
	return nil
}

// callChatapp sends a command of the chat app, signed with the secret of the scenario's integration.
func (w *witness) callChatapp() {
	w.Helper()
	const body = "response_url=https%3A%2F%2Fchatapp.example%2Fa&text=How+many%3F&command=%2Fask"
	stamp := strconv.FormatInt(w.server.World("").Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte("a secret of the assistant"))
	mac.Write([]byte("v0:" + stamp + ":" + body))
	list := mocktest.Decode[struct{ Data []struct{ ID string } }](w.call("GET", "/llm/api/actions", "", "").Want(200))
	for _, action := range list.Data { // that of the web page refuses it
		mocktest.Call(w.T, w, "POST", "/llm/api/actions/"+action.ID+"/chatapp", body, "Authorization", "",
			"Content-Type", "application/x-www-form-urlencoded", "X-Chatapp-Request-Timestamp", stamp,
			"X-Chatapp-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	}
}

// transferTable transfers a table to another account, which that of the scenario may not.
func (w *witness) transferTable() {
	w.Helper()
	w.in(func(w *witness) {
		fixture := `{"account":{"users":[{"id":1,"name":"Ada","email":"ada@shop.example","role":"administrator"}],
			"keys":[{"key":"1/admin","user":"ada@shop.example"}],"features":["table-transfer"],
			"partners":[{"account":2,"key":"2/4567cdef","databases":["lake"]}]},
			"core":{"databases":[{"name":"shop","tables":[{"name":"orders"}]}]}}`
		if err := w.server.World(w.world).Load([]byte(fixture)); err != nil {
			w.Fatal(err)
		}
		mocktest.Call(w.T, w, "POST", "/core/v3/table/transfer/shop/orders", `{"dest_database_name":"lake","dest_table_name":"sales"}`,
			"Secondary-Authorization", brandWord+"1 2/4567cdef").Want(200)
	})
}

// downloadArchives looks into the archives of all workflow projects.
func (w *witness) downloadArchives() {
	w.Helper()
	list := mocktest.Decode[struct{ Projects []struct{ ID string } }](w.call("GET", "/workflow/api/projects", "", "").Want(200))
	if len(list.Projects) < 4 {
		w.Errorf("there are %d projects, want those of the shop, of the warehouse and of the assistant", len(list.Projects))
	}
	for _, p := range list.Projects {
		w.call("GET", "/workflow/api/projects/"+p.ID+"/archive", "", "").Want(200)
	}
}
