package own

import (
	"cmp"
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// part is the page of a list that a call asks for.
type part struct {
	first, end, limit, total int
	asked                    int // the offset, which may lie behind the end
}

func (p part) hasMore() bool { return p.end < p.total }

// standardLimit is the size of a page where a document has pages, but no default for their size.
const standardLimit = 100

func (l *list) part(call *op.Call, all []world.Object) (p part, err error) {
	p = part{end: len(all), limit: max(1, len(all)), total: len(all)}
	if l.limit == nil && l.offset == nil && l.page == nil && l.after == nil {
		return p, nil
	}
	if p.limit, err = numberOf(call, l.limit, cmp.Or(l.size, standardLimit)); err != nil {
		return p, err
	}
	if p.limit < 1 {
		p.limit = standardLimit
	}
	if l.limit != nil && schemaOf(l.limit.Schema).Max != nil {
		p.limit = min(p.limit, max(1, int(*schemaOf(l.limit.Schema).Max)))
	}
	switch offset, page, after := asked(call, l.offset), asked(call, l.page), asked(call, l.after); {
	case after != "":
		if key, err := base64.RawURLEncoding.DecodeString(after); l.isOpaque && err == nil {
			after = string(key)
		}
		p.first = behind(all, after)
	case offset != "":
		p.first, err = numberOf(call, l.offset, 0)
	case page != "":
		p.first, err = numberOf(call, l.page, 1)
		if base := l.firstPage(); p.first > base {
			p.first = min(p.first-base, len(all)) * p.limit
		} else {
			p.first = 0
		}
	}
	p.asked = p.first
	p.first = max(0, min(p.first, len(all)))
	p.end = min(len(all), p.first+min(p.limit, len(all)))
	return p, err
}

// firstPage returns the number of the first page, from 1 on unless the document says that there is a page 0.
func (l *list) firstPage() int {
	if l.page == nil {
		return 1
	}
	if s := schemaOf(l.page.Schema); s.Default == 0.0 || s.Min != nil && *s.Min == 0 && s.Default == nil {
		return 0
	}
	return 1
}

func asked(call *op.Call, p *openapi3.Parameter) string { return call.Query.Get(nameOf(p)) }

func numberOf(call *op.Call, p *openapi3.Parameter, standard int) (int, error) {
	if p == nil {
		return standard, nil
	}
	if n, isNumber := schemaOf(p.Schema).Default.(float64); isNumber {
		standard = int(n)
	}
	n, err := call.Int(p.Name, int64(standard))
	return int(min(n, 1<<31)), err
}

// behind returns the place behind the object that a cursor names.
func behind(all []world.Object, after string) int {
	for i, object := range all {
		if object.Keys[len(object.Keys)-1] == after {
			return i + 1
		}
	}
	return len(all)
}

// pageMembers sets the members around a list that say which part of it there is, those of parts such as meta and links
// included.
func (l *list) pageMembers(call *op.Call, list []member, o *objectSchema, all []world.Object, p part) []member {
	for i := 0; i < len(list); i++ {
		part := o.members[list[i].name]
		if part == nil || part.Value == nil || list[i].value.Kind() == '[' {
			continue
		}
		schema, href := part.Value, specs.Members(part)["href"]
		if href != nil { // a link of HAL
			schema = &openapi3.Schema{Type: &openapi3.Types{openapi3.TypeString}, Format: "uri"}
		} else if within := o.parts[list[i].name]; within != nil && list[i].value.Kind() == '{' {
			list[i].value = join(l.pageMembers(call, membersOf(list[i].value), within(), all, p))
			continue
		}
		value := l.pageMember(call, list[i].name, schema, all, p)
		if value != nil && value.Kind() != 'n' && href != nil {
			value = join([]member{{"href", value}})
		}
		switch {
		case value == nil:
		case value.Kind() == 'n' && !part.Value.PermitsNull(): // optional, or a text that may be empty
			if !isRequired(o.schema, list[i].name) {
				list = slices.Delete(list, i, i+1)
				i--
			} else if href == nil {
				list[i].value = jsontext.Value(`""`)
			}
		default:
			list[i].value = value
		}
	}
	return list
}

func isRequired(schema *openapi3.Schema, name string) bool {
	return slices.Contains(requiredOf(schema, maxNested), name)
}

// pageMember returns what a member beside a list says of the page; nil if it says something else.
func (l *list) pageMember(call *op.Call, name string, s *openapi3.Schema, all []world.Object, p part) jsontext.Value {
	key, isNumber, isText := plain(name), isNumber(s), s.Type.Includes(openapi3.TypeString)
	isFlag := s.Type.Includes(openapi3.TypeBoolean)
	number := func(n int) jsontext.Value {
		if s.Min != nil { // pages of an empty list, of which some documents want one
			n = max(n, int(*s.Min))
		}
		return jsontext.Value(strconv.Itoa(n))
	}
	flag := func(is bool) jsontext.Value { return jsontext.Value(strconv.FormatBool(is)) }
	link := func(query url.Values) jsontext.Value { return scalar(&openapi3.Schema{}, l.link(call, query)) }
	keyAt := func(i int) jsontext.Value {
		if p.first == p.end {
			return jsontext.Value("null")
		}
		return scalar(s, all[i].Keys[len(all[i].Keys)-1])
	}
	switch {
	case isNumber && slices.Contains(totalNames, key):
		return number(p.total)
	case isNumber && slices.Contains(pagesNames, key):
		return number((p.total + p.limit - 1) / p.limit)
	case isNumber && l.limit != nil && key == plain(l.limit.Name):
		return number(p.limit)
	case isNumber && slices.Contains(countNames, key):
		return number(p.end - p.first)
	case isNumber && slices.Contains(limitNames, key):
		return number(p.limit)
	case isNumber && slices.Contains(offsetNames, key):
		return number(max(p.asked, 0))
	case isNumber && (slices.Contains(pageNames, key) || key == "currentpage" || key == "number" && l.page != nil):
		return number(p.first/p.limit + l.firstPage())
	case isFlag && key == "first":
		return flag(p.first == 0)
	case isFlag && key == "last":
		return flag(!p.hasMore())
	case isText && key == "self":
		return link(call.Query)
	case isFlag && slices.Contains(moreNames, key):
		return flag(p.hasMore())
	case key == "firstid":
		return keyAt(p.first)
	case key == "lastid":
		return keyAt(p.end - 1)
	case slices.Contains(beforeNames, key) && p.first > 0 && !isNumber && l.after == nil:
		return link(l.queryAt(call, max(0, p.first-p.limit), p))
	case slices.Contains(beforeNames, key):
		return jsontext.Value("null")
	case isText && key == "first" && l.after == nil:
		return link(l.queryAt(call, 0, p))
	case isText && key == "last" && l.after == nil:
		return link(l.queryAt(call, max(0, p.total-1)/p.limit*p.limit, p))
	case slices.Contains(nextNames, key) && !isNumber:
		if !p.hasMore() {
			return jsontext.Value("null")
		}
		if s.Format == "uri" || s.Format == "url" || l.after == nil {
			return link(l.nextQuery(call, all, p))
		}
		return scalar(s, l.cursor(all[p.end-1]))
	}
	return nil
}

// cursor returns the word that leads behind an object.
func (l *list) cursor(object world.Object) string {
	key := object.Keys[len(object.Keys)-1]
	if l.isOpaque {
		return base64.RawURLEncoding.EncodeToString([]byte(key))
	}
	return key
}

// nextQuery returns the query of the next page.
func (l *list) nextQuery(call *op.Call, all []world.Object, p part) url.Values {
	query := l.queryAt(call, p.end, p)
	if l.after != nil {
		query.Set(l.after.Name, l.cursor(all[p.end-1]))
	}
	return query
}

// queryAt returns the query of the page that begins at a place.
func (l *list) queryAt(call *op.Call, first int, p part) url.Values {
	query := url.Values{}
	maps.Copy(query, call.Query)
	if l.limit != nil {
		query.Set(l.limit.Name, strconv.Itoa(p.limit))
	}
	switch {
	case l.after != nil:
	case l.offset != nil:
		query.Set(l.offset.Name, strconv.Itoa(first))
	case l.page != nil:
		query.Set(l.page.Name, strconv.Itoa(first/p.limit+l.firstPage()))
	}
	return query
}

// link returns the address of the list with another query.
func (l *list) link(call *op.Call, query url.Values) string {
	address := l.shower.address(call, l.operation, paramsOf(call, l.operation.PathParameters()))
	if len(query) > 0 && !l.isSearch {
		address += "?" + query.Encode()
	}
	return address
}
