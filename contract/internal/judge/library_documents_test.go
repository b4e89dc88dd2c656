package judge_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/specs"
)

// refusals are why a document of a library's tests is refused, by what the message says.
var refusals = [][2]string{
	{"has no paths", "it has no operation, so that there is nothing to judge"},
	{"the key openapi has another value", "it is a draft of 3.0, or of no version"},
	{"unmarshal", "a part of it has another type than the specification says"},
	{"cannot be read", "the file that it refers to is not beside it"},
	{"which is not there", "it refers to what is not there, in its only operation"},
	{"not found", "the loader of documents, kin-openapi's, does not follow a reference of one of its files"},
	{"error resolving reference", "the loader of documents, kin-openapi's, does not follow a reference of one of its files"},
	{"outside of the document's folder", "only files below the folder of a document are read"},
	{"disallowed external reference", "the loader of documents, kin-openapi's, does not follow a reference of one of its files"},
}

var startsDocument = regexp.MustCompile(`(?m)^"?openapi"?:|"openapi":`)

// The documents of the tests of kin-openapi, libopenapi and libopenapi-validator are loaded, or refused for a reason
// that a table has. UPDATE=1 writes the table.
func TestLibraryDocuments(t *testing.T) {
	t.Parallel()
	const table, large = "testdata/library_documents.txt", 400_000
	loaded, all := 0, 0
	var rows []string
	for _, folder := range [][2]string{
		{"github.com/getkin/kin-openapi", "openapi3/testdata"},
		{"github.com/pb33f/libopenapi", "test_specs"},
		{"github.com/pb33f/libopenapi-validator", "test_specs"},
	} {
		root := filepath.Join(folderOf(t, folder[0]), folder[1])
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || len(text) > large || !startsDocument.Match(text) {
				return err
			}
			all++
			if _, err = specs.LoadFile("library", path, specs.Neutral); err == nil {
				loaded++
				return nil
			}
			name := strings.TrimPrefix(path, root+"/")
			known := slices.IndexFunc(refusals, func(r [2]string) bool { return strings.Contains(err.Error(), r[0]) })
			if known < 0 {
				t.Errorf("%s: %v, and no reason is known", name, err)
				return nil
			}
			rows = append(rows, fmt.Sprintf("%s | %s | %s", filepath.Base(folder[0]), name, refusals[known][1]))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(rows)
	got := fmt.Sprintf("%d of %d are loaded\n%s\n", loaded, all, strings.Join(rows, "\n"))
	isTable(t, table, got)
}
