package console

import (
	"fmt"
	"strings"
	"time"
)

// homePage shows what the server is and how to talk to it.
type homePage struct {
	Base       string // of the server, as the browser knows it
	Interfaces []address
	First      firstRequest
	Details    worldDetails
	Version    version
	Coverage   coverage
	Started    time.Time
}

// firstRequest is a request to try.
type firstRequest struct {
	Operation, Summary string
	Snippets           []snippetView
}

// snippetsOf writes a GET in several languages.
func snippetsOf(address string, header [][2]string) []snippetView {
	lines := func(form, between string) string { // of which each has a name and a value
		var list []string
		for _, h := range header {
			list = append(list, fmt.Sprintf(form, h[0], h[1]))
		}
		return strings.Join(list, between)
	}
	return []snippetView{
		{Name: "Python", Text: fmt.Sprintf("import urllib.request\nrequest = urllib.request.Request(%q,\n    headers={%s})\n"+
			"print(urllib.request.urlopen(request).read().decode())", address, lines("%q: %q", ", "))},
		{Name: "Node", Text: fmt.Sprintf("const answer = await fetch(%q,\n  {headers: {%s}})\n"+
			"console.log(await answer.json())", address, lines("%q: %q", ", "))},
		{Name: "Ruby", Text: fmt.Sprintf("require \"net/http\"\nputs Net::HTTP.get(URI(%q),\n  {%s})", address,
			lines("%q => %q", ", "))},
		{Name: "Java", Text: fmt.Sprintf("import java.net.URI;\nimport java.net.http.*;\n\n"+
			"var request = HttpRequest.newBuilder(URI.create(%q))%s.build();\n"+
			"System.out.println(HttpClient.newHttpClient()\n    .send(request, HttpResponse.BodyHandlers.ofString()).body());",
			address, lines("\n    .header(%q, %q)", ""))},
		{Name: "Go", Text: fmt.Sprintf("request, _ := http.NewRequest(http.MethodGet, %q, nil)\n%s"+
			"response, err := http.DefaultClient.Do(request)", address, lines("request.Header.Set(%q, %q)\n", ""))},
	}
}

type address struct{ Name, URL, Target string }

type version struct {
	Version   string `json:"version"`
	Commit    string `json:"commit"`
	Documents string `json:"documents"`

	Targets map[string]string `json:"targets"` // the services that answer interfaces in the place of the mock
}

type coverage struct {
	Covered    int `json:"covered"`
	Documented int `json:"documented"`
}

// worldDetails is a world with how large it is and what it has.
type worldDetails struct {
	world
	Size struct {
		Total   int64 `json:"total"`
		State   int64 `json:"state"`
		Journal int64 `json:"journal"`
	} `json:"size"`
	KeyCount    int      `json:"keyCount"`
	Checkpoints []string `json:"checkpoints"`
	Journal     struct {
		Entries int   `json:"entries"`
		Last    int64 `json:"last"`
	} `json:"journal"`
	Events int `json:"events"`
}

func (v *view) home() error {
	body := homePage{Base: v.base()}
	c, err := v.catalog()
	if err != nil {
		return err
	}
	for _, doc := range c.documents {
		name := string(doc.Interface)
		body.Interfaces = append(body.Interfaces, address{Name: name, URL: body.Base + "/" + name + doc.BasePath})
	}
	o := c.simplest()
	ask := v.request(o, nil, nil, keyOf(o))
	body.First = firstRequest{
		Operation: o.Name(), Summary: v.Summary(o),
		Snippets: append([]snippetView{{Name: "curl", Text: v.curl(ask)}}, snippetsOf(body.Base+ask.Path, ask.Header)...),
	}
	for path, into := range map[string]any{
		"worlds/" + defaultWorld: &body.Details, "version": &body.Version, "coverage": &body.Coverage,
	} {
		if err := v.get(path, into); err != nil {
			return err
		}
	}
	for i, a := range body.Interfaces {
		body.Interfaces[i].Target = body.Version.Targets[a.Name]
	}
	return v.ok("home", "home", "Home", body)
}

// base is the address of the server. A prefix that a proxy has taken off is not known to the server; a script adds it.
func (v *view) base() string {
	if v.secure {
		return "https://" + v.host
	}
	return "http://" + v.host
}
