package specs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/jsontree"
)

// A user's own document may be written as Swagger 2.0, lie in several files, or refer to what is missing. What follows
// makes one tree of OpenAPI 3 of it, in which all references of its operations lead somewhere.

// The bounds of what a document may refer to.
const (
	maxFiles     = 1000
	maxFileBytes = 64 << 20
)

// Ignored is a part of a user's own document that cannot be understood, and is left out.
type Ignored struct {
	File    string // of an overlay; empty if it is the document's
	Pointer string
	Line    int
	Reason  string
}

// Unread returns the operation that a request leads to, of those that the document has and that cannot be understood.
// The path is the escaped one, below the document's base path.
func (d *Document) Unread(method, escapedPath string) (left Ignored, ok bool) {
	r := d.unread()
	m := r.find(method, escapedPath)
	if m.Operation == nil {
		return left, false
	}
	at := slices.IndexFunc(d.Ignored, func(i Ignored) bool { return i.Pointer == m.Operation.Pointer })
	return d.Ignored[at], true
}

// routeUnread returns the router of operations that cannot be understood: all methods of a path whose own reference is
// wrong.
func (d *Document) routeUnread() router {
	var operations []*Operation
	for _, left := range d.Ignored {
		rest, isPath := strings.CutPrefix(left.Pointer, "/paths/")
		at, key, isOperation := strings.Cut(rest, "/")
		if left.File != "" || !isPath || !isOperation || strings.Contains(key, "/") {
			continue
		}
		template := unescape.Replace(at)
		for _, method := range methods {
			if key == "$ref" || key == strings.ToLower(method) {
				operations = append(operations, &Operation{
					Method: method, Path: trimBasePath(firstBasePath(d.T.Servers)+template, d.BasePath), Template: template,
					Pointer: left.Pointer, names: parameterNames(template),
				})
			}
		}
	}
	return newRouter(operations, func(op *Operation) string { return op.Path }, func(*Operation, error) {})
}

// whole returns the tree of a document, which is given and changed, and of the files beside it that it refers
// to. Operations whose references lead nowhere are not in it.
func whole(tree map[string]any, file string, lineOf lines) (_ map[string]any, ignored []Ignored, err error) {
	isSwagger := tree["swagger"] == "2.0"
	if version, _ := tree["openapi"].(string); !isSwagger && !strings.HasPrefix(version, "3.") {
		return nil, nil, errors.New("want Swagger 2.0, or an OpenAPI document of version 3.0, 3.1 or 3.2: " +
			"the key openapi has another value, or is missing")
	}
	if _, isMap := tree["paths"].(map[string]any); !isMap {
		return nil, nil, errors.New("the document has no paths")
	}
	f := files{folder: filepath.Dir(file), name: filepath.Base(file), trees: map[string]map[string]any{}}
	defer f.close()
	f.trees[f.name] = tree
	dropExtensions(tree)
	cutFragments(tree)
	relinked := relink(tree, file, lineOf)
	relinked = append(relinked, f.dropMappings(tree, false, "", lineOf)...)
	relinked = append(relinked, dropSlashes(tree, false, "", lineOf)...)
	slices.SortFunc(relinked, func(a, b Ignored) int { return strings.Compare(a.Pointer, b.Pointer) })
	ignored = f.dropUnresolved(tree, lineOf)
	if len(ignored) > 0 && !hasOperations(tree) {
		return nil, nil, fmt.Errorf("line %d: %s: %s", ignored[0].Line, ignored[0].Pointer, ignored[0].Reason)
	}
	if isSwagger {
		tree, err = f.fromSwagger(tree)
	}
	if err == nil && !isSwagger && !f.refersBack {
		prune(tree)
	}
	if err == nil && f.refersOutside {
		tree, err = f.bundle(tree)
	}
	return tree, append(ignored, relinked...), err
}

// dropExtensions takes extensions out of paths, and out of the responses of operations: all other keys there are names.
func dropExtensions(tree map[string]any) {
	isExtension := func(key string, _ any) bool { return strings.HasPrefix(key, "x-") }
	paths, _ := tree["paths"].(map[string]any)
	maps.DeleteFunc(paths, isExtension)
	for _, item := range paths {
		item, _ := item.(map[string]any)
		for _, operation := range item {
			responses, _ := child(operation, "responses").(map[string]any)
			maps.DeleteFunc(responses, isExtension)
		}
	}
}

// files reads the documents of one folder.
type files struct {
	folder, name  string
	root          *os.Root // of the folder, once another file is read; nothing outside of it can be
	trees         map[string]map[string]any
	bytes         int64
	refersOutside bool // there is a reference to another file
	refersBack    bool // and one from there to the document
}

func (f *files) close() {
	if f.root != nil {
		_ = f.root.Close()
	}
}

// tree returns the tree of a file, named as from the folder.
func (f *files) tree(name string) (tree map[string]any, err error) {
	if tree, known := f.trees[name]; known {
		if tree == nil {
			return nil, fmt.Errorf("%s cannot be read", name)
		}
		return tree, nil
	}
	if len(f.trees) == maxFiles {
		return nil, fmt.Errorf("the document refers to more than %d files", maxFiles)
	}
	f.trees[name] = nil
	if f.root == nil {
		if f.root, err = os.OpenRoot(f.folder); err != nil {
			return nil, err
		}
	}
	text, err := f.read(name)
	if err != nil {
		return nil, err
	}
	x, err := newIndex(text)
	if err == nil {
		tree, err = treeOf(x.root)
	}
	nameItself(tree, false, path.Base(name))
	f.trees[name] = tree
	return tree, err
}

// nameItself puts the name of a file into its references to itself, as its parts get another place in a bundle. Its
// anchors, which are not followed, are taken out: a bundle may have a part twice.
func nameItself(node any, isNames bool, file string) {
	eachPart(node, isNames, "", func(_ string, value any, isNames bool, _ string) {
		if object, _ := value.(map[string]any); !isNames {
			if ref, _ := object["$ref"].(string); ref == "#" {
				object["$ref"] = file
			} else if strings.HasPrefix(ref, "#/") {
				object["$ref"] = file + ref
			}
			delete(object, "$anchor")
		}
		nameItself(value, isNames, file)
	})
}

func (f *files) read(name string) ([]byte, error) {
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	if f.bytes += info.Size(); f.bytes > maxFileBytes {
		return nil, fmt.Errorf("the files that the document refers to exceed %d MiB", maxFileBytes>>20)
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, info.Size()))
}

// resolve returns what a reference in a file leads to, and the file that has it.
func (f *files) resolve(ref, from string) (value any, name string, err error) {
	u, err := url.Parse(ref)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("%q is not a reference", ref)
	case u.Scheme != "" || u.Host != "":
		return nil, "", fmt.Errorf("it refers to an address (%s): save it beside the document, and refer to the file", ref)
	}
	name = from
	if u.Path != "" {
		f.refersOutside = true
		f.refersBack = f.refersBack || path.Join(path.Dir(from), u.Path) == f.name
		if name = path.Join(path.Dir(from), u.Path); path.IsAbs(u.Path) || !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, "", fmt.Errorf("it refers to a file outside of the document's folder (%s): move it into the folder", ref)
		}
	}
	tree, err := f.tree(name)
	if err != nil {
		return nil, "", fmt.Errorf("it refers to %s, which cannot be read: %w", ref, err)
	}
	if value = any(tree); u.Fragment != "" && !strings.HasPrefix(u.Fragment, "/") {
		if name != f.name {
			return nil, "", fmt.Errorf("it refers to an anchor of another file (%s): refer to it by its pointer", ref)
		}
		return tree, name, nil // which may be anywhere
	}
	for _, token := range splitPointer(u.Fragment) {
		if value = child(value, token); value == nil {
			return nil, "", fmt.Errorf("it refers to %s, which is not there", ref)
		}
	}
	return value, name, nil
}

// child returns the member or the item of a node that a token of a pointer leads to, or nil.
func child(node any, token string) any {
	switch node := node.(type) {
	case map[string]any:
		return node[token]
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(node) {
			return node[i]
		}
	}
	return nil
}

// check returns what is wrong with the references in a part of a file. What was checked is not checked again.
func (f *files) check(node any, isNames bool, from string, checked map[string]error) error {
	switch node := node.(type) {
	case []any:
		for _, one := range node {
			if err := f.check(one, false, from, checked); err != nil {
				return err
			}
		}
	case map[string]any:
		if ref, isRef := node["$ref"].(string); isRef && !isNames {
			if err := f.checkRef(ref, from, checked); err != nil {
				return err
			}
		}
		for key, value := range parts(node, isNames) {
			if err := f.check(value, !isNames && namesChildren[key], from, checked); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *files) checkRef(ref, from string, checked map[string]error) error {
	key := from + " " + ref
	if err, known := checked[key]; known {
		return err
	}
	checked[key] = nil
	value, name, err := f.resolve(ref, from)
	if err == nil {
		err = f.checkEnd(ref, value, name)
	}
	if err == nil {
		err = f.check(value, false, name, checked)
	}
	checked[key] = err
	return err
}

// checkEnd returns an error if a reference, whose value stands in a file, leads from reference to reference only.
func (f *files) checkEnd(ref string, value any, name string) (err error) {
	for range maxReferences {
		node, _ := value.(map[string]any)
		next, isRef := node["$ref"].(string)
		if !isRef {
			return nil
		}
		if value, name, err = f.resolve(next, name); err != nil {
			return err
		}
	}
	return fmt.Errorf("it refers to %s, which leads to nothing but references", ref)
}

// dropMappings takes values of discriminators out of a tree whose references lead nowhere: the alternatives are tried
// all the same.
func (f *files) dropMappings(node any, isNames bool, pointer string, lineOf lines) (dropped []Ignored) {
	eachPart(node, isNames, pointer, func(key string, value any, isNames bool, pointer string) {
		if discriminator, isObject := value.(map[string]any); isObject && key == "discriminator" {
			mapping, _ := discriminator["mapping"].(map[string]any)
			for _, name := range sortedKeys(mapping) {
				target, _ := mapping[name].(string)
				if !strings.ContainsAny(target, "/#") {
					continue
				}
				if _, _, err := f.resolve(target, f.name); err != nil {
					delete(mapping, name)
					at := pointer + "/mapping/" + EscapePointer(name)
					dropped = append(dropped, Ignored{Pointer: at, Line: lineOf(at), Reason: err.Error()})
				}
			}
		}
		dropped = append(dropped, f.dropMappings(value, isNames, pointer, lineOf)...)
	})
	return dropped
}

// slashed matches a pattern as programs of JavaScript have it, which no text matches as it stands.
var slashed = regexp.MustCompile(`^/(\^.*\$)/(i?)[gmuy]*$`)

// dropSlashes takes the slashes around patterns out of a tree.
func dropSlashes(node any, isNames bool, pointer string, lineOf lines) (dropped []Ignored) {
	eachPart(node, isNames, pointer, func(key string, value any, isNames bool, pointer string) {
		text, _ := value.(string)
		object, isObject := node.(map[string]any)
		if parts := slashed.FindStringSubmatch(text); parts != nil && isObject && key == "pattern" {
			pattern := parts[1]
			if parts[2] != "" {
				pattern = "(?i)" + pattern
			}
			object[key] = pattern
			reason := "no text matches a pattern with slashes around it: " + pattern + " is taken instead"
			dropped = append(dropped, Ignored{Pointer: pointer, Line: lineOf(pointer), Reason: reason})
		}
		dropped = append(dropped, dropSlashes(value, isNames, pointer, lineOf)...)
	})
	return dropped
}

// dropUnresolved takes operations out of a tree that have references which lead nowhere.
func (f *files) dropUnresolved(tree map[string]any, lineOf lines) (ignored []Ignored) {
	checked := map[string]error{}
	paths, _ := tree["paths"].(map[string]any)
	for _, at := range sortedKeys(paths) {
		pathItem, _ := paths[at].(map[string]any)
		common := map[string]any{"parameters": pathItem["parameters"]}
		if ref := pathItem["$ref"]; ref != nil {
			common["$ref"] = ref
		}
		commonErr := f.check(common, false, f.name, checked)
		for _, key := range sortedKeys(pathItem) {
			err := commonErr
			switch {
			case !isMethod(key) && key != "$ref":
				continue
			case err == nil:
				err = f.check(pathItem[key], false, f.name, checked)
			}
			if err == nil {
				continue
			}
			pointer := "/paths/" + EscapePointer(at) + "/" + key
			ignored = append(ignored, Ignored{Pointer: pointer, Line: lineOf(pointer), Reason: err.Error()})
			delete(pathItem, key)
		}
		if commonErr != nil {
			delete(pathItem, "parameters")
		}
	}
	return ignored
}

// cutFragments gives the operations of paths such as /files/{id}#share and /files?tag={tag} to the path before the
// mark, which is all that identifies an operation, unless that has one of the method. What the query names are
// parameters of it.
func cutFragments(tree map[string]any) {
	paths, _ := tree["paths"].(map[string]any)
	for _, at := range sortedKeys(paths) {
		item, isMap := paths[at].(map[string]any)
		end := strings.IndexAny(at, "#?")
		if end < 0 || !isMap {
			continue
		}
		plain := strings.TrimSuffix(at[:end], "{") // of {?tag,page}, as URI templates have it
		delete(paths, at)
		intoQuery(item, queryKeys(at[end+1:]))
		into, _ := paths[plain].(map[string]any)
		if into == nil {
			paths[plain] = item
			continue
		}
		for key, value := range item {
			if _, has := into[key]; !has {
				into[key] = value
			}
		}
	}
}

// queryKeys returns the keys of a query by the names of the parameters that are their values: tag={name}&… or name,…}.
func queryKeys(query string) map[string]string {
	keys := map[string]string{}
	if names, isTemplate := strings.CutSuffix(query, "}"); isTemplate && !strings.Contains(names, "=") {
		for name := range strings.SplitSeq(names, ",") {
			keys[name] = name
		}
	}
	for pair := range strings.SplitSeq(query, "&") {
		if key, value, _ := strings.Cut(pair, "="); placeholder.FindString(value) == value && value != "" {
			keys[strings.Trim(value, "{}")] = key
		}
	}
	return keys
}

// intoQuery makes parameters of a path, or of one of its operations, parameters of the query.
func intoQuery(node map[string]any, keys map[string]string) {
	list, _ := node["parameters"].([]any)
	for _, one := range list {
		name, _ := child(one, "name").(string)
		if parameter, isMap := one.(map[string]any); isMap && parameter["in"] == "path" && keys[name] != "" {
			parameter["in"], parameter["name"] = "query", keys[name]
		}
	}
	for key, value := range node {
		if operation, isMap := value.(map[string]any); isMap && isMethod(key) {
			intoQuery(operation, keys)
		}
	}
}

func hasOperations(tree map[string]any) bool {
	paths, _ := tree["paths"].(map[string]any)
	for _, value := range paths {
		item, _ := value.(map[string]any)
		for key := range item {
			if isMethod(key) || key == "$ref" {
				return true
			}
		}
	}
	return false
}

func isMethod(key string) bool {
	for _, method := range methods {
		if key == strings.ToLower(method) {
			return true
		}
	}
	return key == "additionalOperations"
}

// fromSwagger converts a document of version 2.0.
func (f *files) fromSwagger(tree map[string]any) (converted map[string]any, err error) {
	defer func() { // what a document may lack is not always looked at before it is used
		if p := recover(); p != nil {
			converted, err = nil, fmt.Errorf("convert Swagger 2.0: %v", p)
		}
	}()
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	var old openapi2.T
	if err := json.Unmarshal(text, &old); err != nil {
		return nil, fmt.Errorf("read Swagger 2.0: %w", err)
	}
	doc, err := openapi2conv.ToV3WithLoader(&old, f.loader(), &url.URL{Path: f.name})
	if err != nil {
		return nil, fmt.Errorf("convert Swagger 2.0: %w", err)
	}
	return f.treeOf(doc)
}

// bundle puts what a tree refers to in other files into its components.
func (f *files) bundle(tree map[string]any) (map[string]any, error) {
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	doc, err := f.loader().LoadFromDataWithPath(text, &url.URL{Path: f.name})
	if err != nil {
		return nil, fmt.Errorf("read the files that the document refers to: %w", err)
	}
	if doc.Components == nil {
		doc.Components = &openapi3.Components{}
	}
	was, own := map[*openapi3.Schema]openapi3.SchemaRefs{}, map[*openapi3.Schema]bool{}
	for _, ref := range doc.Components.Schemas {
		own[ref.Value] = true
	}
	err = doc.WalkSchemas(func(_ string, ref *openapi3.SchemaRef) error {
		s := ref.Value
		was[s] = s.AllOf
		s.AllOf = append(slices.Clip(s.AllOf), newerParts(s)...) // for kin-openapi, which does not look there
		return nil
	})
	doc.InternalizeRefs(context.Background(), namesOfFiles())
	for s, parts := range was {
		s.AllOf = parts
	}
	for _, ref := range doc.Components.Schemas {
		if !own[ref.Value] {
			ref.Value.Defs = nil // each that is used is a component now
		}
	}
	if err != nil {
		return nil, err
	}
	return f.treeOf(doc)
}

// newerParts lists what a schema consists of by keywords that version 3.0 does not have.
func newerParts(s *openapi3.Schema) (list openapi3.SchemaRefs) {
	list = slices.Concat(s.PrefixItems, openapi3.SchemaRefs{
		s.If, s.Then, s.Else, s.Contains, s.PropertyNames, s.ContentSchema, s.UnevaluatedItems.Schema,
		s.UnevaluatedProperties.Schema,
	})
	for _, named := range []openapi3.Schemas{s.PatternProperties, s.DependentSchemas, s.Defs} {
		for _, name := range sortedKeys(named) {
			list = append(list, named[name])
		}
	}
	return slices.DeleteFunc(list, func(ref *openapi3.SchemaRef) bool { return ref == nil })
}

// namesOfFiles returns a function that names the schemas of other files among the components: as they are named there,
// which is an implicit value of a discriminator (Discriminator Object), unless another one has the name.
func namesOfFiles() openapi3.RefNameResolver {
	known, taken := map[string]string{}, map[string]bool{}
	return func(doc *openapi3.T, ref openapi3.ComponentRef) string {
		name := openapi3.DefaultRefNameResolver(doc, ref)
		_, isOwn := openapi3.ReferencesComponentInRootDocument(doc, ref)
		if at := ref.RefPath(); !isOwn && ref.CollectionName() == "schemas" {
			where := at.String()
			if known[where] == "" {
				file, _, _ := strings.Cut(path.Base(at.Path), ".")
				plain := openapi3.InvalidIdentifierCharRegExp.ReplaceAllString(path.Base(cmp.Or(at.Fragment, file)), "_")
				if isTaken := taken[plain] || doc.Components != nil && doc.Components.Schemas[plain] != nil; !isTaken {
					name = plain
				}
				known[where], taken[name] = name, true
			}
			name = known[where]
		}
		return name
	}
}

// loader returns a loader that reads nothing but the folder's files.
func (f *files) loader() *openapi3.Loader {
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = true
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, location *url.URL) ([]byte, error) {
		if location.Scheme != "" || location.Host != "" {
			return nil, fmt.Errorf("%s is an address", location)
		}
		tree, err := f.tree(path.Clean(location.Path))
		if err != nil {
			return nil, err
		}
		return json.Marshal(tree)
	}
	return loader
}

func (f *files) treeOf(doc *openapi3.T) (tree map[string]any, err error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return jsontree.Decode[map[string]any](text)
}
