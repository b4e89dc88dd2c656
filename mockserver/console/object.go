package console

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// objectPage shows one object: what it is, what it refers to, its parts, what was asked about it, and what can be done.
type objectPage struct {
	*kind
	Path    []string // of the object: the keys that lead to it
	Name    string
	Value   *evidence.Body
	Links   []link
	Parts   []*kindPage
	History []row
	Asked   string // as curl
	Details *details
}

// link leads to another object.
type link struct {
	What, Key, Address string
	Name               string // empty where the key is all that is known
}

func (v *view) objectPage() error {
	c, err := v.catalog()
	if err != nil {
		return err
	}
	k := c.byName[v.r.PathValue("kind")]
	if k == nil {
		return v.problem(http.StatusNotFound, "Unknown kind of resource.")
	}
	body := objectPage{kind: k, Path: pathParts(v.r.URL.EscapedPath())}
	err = v.visit(func(v *visitor) error {
		value, err := v.one(k, body.Path)
		if err != nil {
			return err
		}
		body.show(v, c, value)
		for _, nested := range k.Nested {
			if nested.List == nil || isSpecial(k) {
				continue
			}
			objects, isMore, err := v.list(nested, body.Path, nil, maxObjects)
			if err != nil {
				continue
			}
			p := &kindPage{kind: nested, Within: body.Path, Objects: objects, IsMore: isMore}
			p.table(v.view, c, url.Values{}, maxPart, v.now)
			body.Parts = append(body.Parts, p)
		}
		body.Details, err = v.details(k, body.Path, value)
		return err
	})
	if err != nil {
		return err
	}
	body.History = v.history(k, body.Path)
	if k.Get != nil {
		path := values(pathParameters(k.Get), body.Path)
		body.Asked = v.curl(v.request(k.Get, path, nil, keyOf(k.Get)).inWorld(v.WorldOrDefault()))
	}
	return v.ok("object", "resources", capitalized(k.Title)+" "+body.Path[len(body.Path)-1], body)
}

// pathParts returns what stands behind /w/{world}/resources/{kind}/, unescaped.
func pathParts(escaped string) (parts []string) {
	for _, part := range strings.Split(strings.TrimPrefix(escaped, "/"), "/")[4:] {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		parts = append(parts, part)
	}
	return parts
}

// one asks for one object; by the list of its kind, if that is the only way.
func (v *visitor) one(k *kind, path []string) (any, error) {
	if k.Get != nil && len(pathParameters(k.Get)) == len(path) {
		_, body, err := v.read(k.Get, values(pathParameters(k.Get), path), nil)
		if err != nil {
			return nil, err
		}
		for _, at := range action(k.Get).At {
			if found := at.In(body); len(found) > 0 {
				return found[0], nil
			}
		}
		return body, nil
	}
	if k.List != nil {
		objects, _, err := v.list(k, path[:len(path)-1], nil, maxObjects)
		if err != nil {
			return nil, err
		}
		for _, t := range objects {
			if t.Key == path[len(path)-1] {
				return t.Value, nil
			}
		}
	}
	return nil, &refusal{answer{Status: http.StatusNotFound, Body: []byte(k.Title + " " +
		strings.Join(path, "/") + " was not found.")}}
}

// show fills in what an object is and what it refers to.
func (p *objectPage) show(v *visitor, c *catalog, value any) {
	p.Name = first(value, p.names()...)
	text, _ := json.Marshal(value) // it was read as JSON
	var out bytes.Buffer
	_ = json.Indent(&out, text, "", "  ")
	p.Value = evidence.View(nil, &recording.Body{Bytes: out.Bytes()}, "", "").Body
	if parent := c.byName[p.Parent()]; parent != nil && len(p.Path) > 1 && (parent.Get != nil || parent.List != nil) {
		p.Links = append(p.Links, v.linkTo(parent, p.Path[:len(p.Path)-1], "part of"))
	}
	var habitual []specs.Link
	members, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if other := c.named(p.Interface, name); other != nil {
			habitual = append(habitual, specs.Link{Resource: other.Kind(), At: specs.Pointer{name}})
		}
	}
	for _, list := range [][]specs.Link{p.Refers, p.Parents, p.kind.Resource.Parts, habitual} {
		for _, l := range list {
			other := c.byName[l.Resource]
			if other == nil || l.At == nil || !other.IsTop() && !other.IsOpen() ||
				l.Type != "" && l.Type != first(value, specs.Pointer{"type"}) {
				continue
			}
			for _, found := range l.At.In(value) {
				key, ok := scalar(found)
				isThere := slices.ContainsFunc(p.Links, func(l link) bool { return l.Key == key && l.What == other.Title })
				if !ok || isThere {
					continue
				}
				if one, err := v.one(other, []string{key}); err == nil {
					l := v.linkTo(other, []string{key}, other.Title)
					l.Name = first(one, other.names()...)
					p.Links = append(p.Links, l)
				}
			}
		}
	}
}

func (v *view) linkTo(k *kind, path []string, what string) link {
	if what == "part of" {
		what += " the " + k.Title
	}
	return link{
		What: what, Key: path[len(path)-1], Address: v.In(append([]string{"resources", k.Resource.Name}, path...)...),
	}
}

// Operate is the address of the page that fills in a request to an operation about an object.
func (v *view) Operate(o *specs.Operation, path []string) string {
	query := url.Values{}
	names, _ := leading(o)
	for i, name := range names {
		if i < len(path) {
			query.Set("path:"+name, path[i])
		}
	}
	if a := action(o); a.Query != "" && len(path) > 0 {
		query.Set("query:"+a.Query, path[len(path)-1])
	}
	return v.In("operations", o.Name()) + "?" + query.Encode()
}

var (
	identifier = regexp.MustCompile(`^[a-z]+([A-Z][a-z]+)+$`)
	hump       = regexp.MustCompile(`([a-z])([A-Z])`)
)

// Summary returns the summary of an operation, or else the words of its id.
func (v *view) Summary(o *specs.Operation) string {
	c, err := v.catalog()
	if err != nil {
		return o.ID
	}
	if same := c.readable[o.Interface]().Operation(o.ID); same != nil && same.Spec.Summary != "" {
		return same.Spec.Summary
	}
	if identifier.MatchString(o.ID) {
		return capitalized(strings.ToLower(hump.ReplaceAllString(o.ID, "$1 $2")))
	}
	return o.ID
}
