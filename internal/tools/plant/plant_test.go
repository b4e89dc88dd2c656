package plant_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/tools/plant"
)

func TestGeneratorIsRepeatable(t *testing.T) {
	t.Parallel()
	one, other := plant.New(7, 1000), plant.New(7, 1000)
	for range 50 {
		if diff := cmp.Diff(one.Next().Kind, other.Next().Kind); diff != "" {
			t.Fatalf("(-one +other):\n%s", diff)
		}
	}
}

func TestSecretsAreFoundInEveryForm(t *testing.T) {
	t.Parallel()
	secret := plant.Marker + "abcde" + plant.Marker
	inJSON, err := json.Marshal(map[string]any{"a": []string{secret}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain": "x" + secret + "y", "JSON": string(inJSON), "escapes": `{"a":"\u0071\u0037\u005a\u006b"}`,
		"percents": "a=%71%37%5A%6B", "broken percents": "a=%zz%71%37%5A%6B", "a query": url.QueryEscape("&" + secret),
		"base64":         base64.StdEncoding.EncodeToString([]byte("me:" + secret)),
		"base64 in JSON": `{"body":"` + base64.URLEncoding.EncodeToString([]byte("user:"+secret)) + `"}`,
	} {
		if len(plant.Find([]byte(text))) == 0 {
			t.Errorf("%s: nothing is found in %s", name, text)
		}
	}
	if left := plant.Find([]byte(`{"a":"[redacted:0badcafe]"}`)); left != nil {
		t.Errorf("found %q", left)
	}
}
