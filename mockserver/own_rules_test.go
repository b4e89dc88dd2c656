package mockserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

func ExampleWithRules() {
	type order struct {
		Status string `json:"status"`
	}
	shipped := mockserver.CheckChanges("shop.order", func(c mockserver.Change[order]) error {
		if c.Verb == "cancel" && c.Before.Status == "shipped" {
			return mockserver.Refuse(http.StatusConflict, "an order that is shipped cannot be cancelled")
		}
		return nil
	})
	server, err := mockserver.New(mockserver.WithSpec("shop", "testdata/orders.yaml"), mockserver.WithRules(shipped))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	post := func(path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://127.0.0.1/shop/v1"+path,
			strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		return w
	}
	var made struct{ ID string }
	_ = json.Unmarshal(post("/orders", `{"status":"shipped"}`).Body.Bytes(), &made)
	answer := post("/orders/"+made.ID+"/cancel", "")
	fmt.Println(answer.Code, answer.Body)
	// Output: 409 {"detail":"an order that is shipped cannot be cancelled"}
}

// The page shows what is tried here.
func TestResourcesPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/reference/resources.md")
	if err != nil {
		t.Fatal(err)
	}
	for file, mark := range map[string]string{"testdata/orders.yaml": "```yaml shown\n", "own_rules_test.go": "```go shown\n"} {
		tried, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(page), mark)
		shown, _, found := strings.Cut(rest, "```")
		if mark == "```go shown\n" { // without the indentation of the function
			shown = "\t" + strings.ReplaceAll(strings.TrimSpace(shown), "\n", "\n\t")
		}
		if !found || !strings.Contains(string(tried), shown) {
			t.Errorf("%s has not:\n%s", file, shown)
		}
	}
}
