package mutation_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/specs/recording"
)

// statuses answers with statuses that are not documented.
func statuses(v *valid) (list []mutant) {
	for _, status := range []int{200, 202, 204, 226, 302, 400, 401, 403, 404, 409, 410, 418, 422, 500, 502} {
		responses := v.op.Spec.Responses
		isDocumented := responses.Status(status) != nil || responses.Value(fmt.Sprintf("%dXX", status/100)) != nil ||
			responses.Default() != nil
		if isDocumented || status == v.Response.Status {
			continue
		}
		kind := fmt.Sprintf("an undocumented status: %dxx", status/100)
		list = append(list, v.with(kind, fmt.Sprint(status), "", func(e *recording.Exchange) { e.Response.Status = status }))
	}
	return list
}

// methods uses methods that are not documented for the path.
func methods(v *valid) (list []mutant) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if v.op.Document.Find(method, pathOf(v.op.Document, v.Request.URL)).Operation != nil {
			continue // it is another operation
		}
		list = append(list, v.with("another method", method, "", func(e *recording.Exchange) { e.Request.Method = method }))
	}
	return list
}

// paths asks for what is not documented.
func paths(v *valid) (list []mutant) {
	for _, change := range []func(string) string{
		func(path string) string { return path + "/unheard_of" },
		func(path string) string { return "/unheard_of" + path },
		func(path string) string { return path[:len(path)/2] + "~" + path[len(path)/2:] },
	} {
		path := change(pathOf(v.op.Document, v.Request.URL))
		if match := v.op.Document.Find(v.Request.Method, path); match.Operation == nil {
			list = append(list, v.with("an unknown path", path, "", v.at(path)))
		}
	}
	return list
}

// at moves a request to another path of its interface.
func (v *valid) at(path string) func(*recording.Exchange) {
	return func(e *recording.Exchange) {
		u, err := url.Parse(e.Request.URL)
		if err != nil {
			panic(err)
		}
		e.Request.URL = u.Scheme + "://" + u.Host + v.op.Document.BasePath + path
		if u.RawQuery != "" {
			e.Request.URL += "?" + u.RawQuery
		}
	}
}

// credentials changes the scheme of the key, and takes the key away.
func credentials(v *valid) (list []mutant) {
	word, key, _ := strings.Cut(v.Request.Headers.Value("Authorization"), " ")
	isOpen := v.op.Spec.Security != nil && len(*v.op.Spec.Security) == 0
	if isOpen || key == "" {
		return nil
	}
	allowed := ""
	if v.Response.Status/100 != 2 {
		allowed = refused
	}
	for _, other := range []string{"Bearer " + key, "Basic QWxhZGRpbjpvcGVu", word, word + "X " + key} {
		list = append(list, v.with("another scheme of the key", strings.Fields(other)[0], allowed,
			func(e *recording.Exchange) {
				set(&e.Request.Headers, "Authorization", other)
			}))
	}
	return append(list, v.with("no key", "", allowed, func(e *recording.Exchange) {
		set(&e.Request.Headers, "Authorization", "")
		e.Redacted = nil
	}))
}

// responseHeaders takes away headers of answers that the document requires, and gives others a wrong value.
func responseHeaders(v *valid) (list []mutant) {
	for name, ref := range v.response.Headers {
		header := ref.Value
		if strings.EqualFold(name, "Content-Type") || v.Response.Headers.Value(name) == "" {
			continue
		}
		allowed := ""
		if !header.Required {
			allowed = optional
		} else if strings.EqualFold(name, "Connection") {
			allowed = "it is about one connection only, and proxies take it away"
		}
		list = append(list, v.with("response header: missing", name, allowed,
			func(e *recording.Exchange) { set(&e.Response.Headers, name, "") }))
		if header.Schema == nil {
			continue
		}
		for _, w := range textsAgainst(header.Schema.Value, v.Response.Headers.Value(name)) {
			list = append(list, v.with("response header: "+w.kind, name, w.allowed, func(e *recording.Exchange) {
				set(&e.Response.Headers, name, w.value.(string))
			}))
		}
	}
	slices.SortFunc(list, func(a, b mutant) int { return strings.Compare(a.kind+a.at, b.kind+b.at) })
	return list
}
