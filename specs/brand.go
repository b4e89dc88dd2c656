package specs

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Brand is the word that the platform's exact identifiers carry: the scheme `SVC1`, the header `X-SVC-Write-Key`,
// the field `svc_record_time`, the attribute `svcDatabaseName`. Its zero value is the neutral word, SVC.
type Brand string

// Neutral is the brand of the documents as they are written.
const Neutral Brand = "SVC"

var (
	brandWord  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,31}$`)
	lowerBrand = regexp.MustCompile(`\bsvc(_|[A-Z]|\b)`)
	identifier = regexp.MustCompile(`\bsvc[_A-Z]\w*`)
)

// ParseBrand accepts a word of letters and digits that starts with a letter.
func ParseBrand(word string) (Brand, error) {
	if !brandWord.MatchString(word) {
		return "", fmt.Errorf("brand %q: want one word of at most 32 letters and digits, starting with a letter", word)
	}
	return Brand(word), nil
}

func (b Brand) word() string {
	if b == "" {
		return string(Neutral)
	}
	return string(b)
}

// Lower returns the word in lower case: svc.
func (b Brand) Lower() string { return strings.ToLower(b.word()) }

// Scheme returns the word before the key in an Authorization header: SVC1.
func (b Brand) Scheme() string { return strings.ToUpper(b.word()) + "1" }

// WriteKeyHeader returns the header that carries a write key: X-SVC-Write-Key.
func (b Brand) WriteKeyHeader() string { return "X-" + strings.ToUpper(b.word()) + "-Write-Key" }

// RecordTime returns the field of an event that says when it happened: svc_record_time.
func (b Brand) RecordTime() string { return b.Lower() + "_record_time" }

// Apply returns text with the brand in place of the neutral word, in all its spellings: in capitals anywhere, and in
// lower case as a word by itself, as in host names, or at the beginning of an identifier. Other words that only begin
// with the same letters stay as they are.
func (b Brand) Apply(text []byte) []byte {
	if strings.EqualFold(b.word(), string(Neutral)) {
		return text
	}
	text = lowerBrand.ReplaceAll(text, []byte(b.Lower()+"$1"))
	return []byte(strings.ReplaceAll(string(text), string(Neutral), strings.ToUpper(b.word())))
}

// Text applies the brand to a text.
func (b Brand) Text(text string) string { return string(b.Apply([]byte(text))) }

// FS returns files whose texts carry the brand.
func (b Brand) FS(files fs.FS) fs.FS { return brandedFiles{files, b} }

type brandedFiles struct {
	fs.FS
	brand Brand
}

// ReadFile implements fs.ReadFileFS.
func (f brandedFiles) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(f.FS, name)
	return f.brand.Apply(text), err
}

// Identifiers returns the exact identifiers in the document of an interface that begin with the word in lower case,
// such as svcDatabaseName, by their neutral spelling. The neutral brand has none.
func (b Brand) Identifiers(name Interface) (map[string]string, error) {
	if b.Lower() == Neutral.Lower() {
		return nil, nil
	}
	load, _ := identifiers.LoadOrStore(name, sync.OnceValues(func() ([]string, error) { return identifiersOf(name) }))
	words, err := load.(func() ([]string, error))()
	list := map[string]string{}
	for _, word := range words {
		if own := b.Text(word); own != word {
			list[word] = own
		}
	}
	return list, err
}

// identifiers of the embedded documents, which take a while to find: name of the interface → func() ([]string,
// error).
var identifiers sync.Map

func identifiersOf(name Interface) ([]string, error) {
	source, err := Source(name, Neutral)
	if err != nil {
		return nil, err
	}
	words := identifier.FindAllString(string(source), -1)
	slices.Sort(words)
	return slices.Compact(words), nil
}
