package recording

import (
	"regexp"
	"strings"
)

// maxHead bounds the first line of a table.
const maxHead = 64 << 10

// table takes secrets out of a text that is a table, with separators and a first line of names.
func (x *redaction) table(text string) string {
	begin := 0
	for strings.HasPrefix(text[begin:], "#") { // comments
		begin = min(len(text), begin+upTo(text[begin:], "\n")+1)
	}
	head, rest, found := strings.Cut(text[begin:], "\n")
	if !found || len(head) > maxHead {
		return text
	}
	for _, separator := range []byte(",;\t|") {
		names, _ := row(head, 0, separator, "\r\n")
		secret := secretColumns(head, names)
		if len(names) < 2 || secret == nil {
			continue
		}
		if first, _ := row(rest, 0, separator, "\r\n"); len(first) < len(names) {
			continue
		}
		return text[:begin] + head + "\n" + x.without(rest, secretFields(rest, 0, secret, func(at int) ([]span, int) {
			return row(rest, at+leading(rest[at:], "\r\n"), separator, "\r\n")
		}))
	}
	return text
}

// insert finds the names in an INSERT statement of SQL.
var insert = regexp.MustCompile(`(?is)\b(?:insert|replace|upsert)\s+(?:or\s+\w+\s+|ignore\s+)?into\s+[^\s(]+\s*` +
	`\(([^()]*)\)\s*values\s*`)

// inserts takes secrets out of the values of INSERT statements.
func (x *redaction) inserts(text string) string {
	if !strings.Contains(text, "into") && !strings.Contains(text, "INTO") && !strings.Contains(text, "Into") {
		return text
	}
	var fields []field
	end := 0
	for _, found := range insert.FindAllStringSubmatchIndex(text, -1) {
		head := text[found[2]:found[3]]
		names, _ := row(head, 0, ',', "")
		secret := secretColumns(head, names)
		if secret == nil || found[0] < end {
			continue
		}
		more := secretFields(text, found[1], secret, func(at int) ([]span, int) {
			begin := at + leading(text[at:], " \t\r\n,")
			if begin == len(text) || text[begin] != '(' {
				return nil, at
			}
			fields, stop := row(text, begin+1, ',', ")")
			end = min(stop+1, len(text))
			return fields, end
		})
		fields = append(fields, more...)
	}
	return x.without(text, fields)
}

// secretColumns returns the names of the columns of a table that may be secret, or that have names and values, and
// empty texts for the others. It is nil if no column may be secret.
func secretColumns(head string, names []span) []string {
	secret, isAny, isNamed := make([]string, len(names)), false, false
	for i, s := range names {
		name := strings.Trim(head[s.start:s.end], " \t\r\"'`[]\ufeff")
		lower := strings.ToLower(name)
		switch {
		case IsSecret(name), isVague(name):
			secret[i], isAny = name, true
		case isPairName(lower):
			secret[i], isNamed = lower, true
		case isPairValue(lower):
			secret[i], isAny = lower, isAny || isNamed
		}
	}
	if !isAny {
		return nil
	}
	return secret
}

// field is the place of a value in a table, without blanks and quotes.
type field struct {
	span
	name string
}

// secretFields returns the fields in the secret columns of rows, as long as there are some.
func secretFields(text string, at int, secret []string, next func(at int) (fields []span, end int)) (list []field) {
	const around = " \t\r\n\"'"
	for {
		fields, end := next(at)
		if len(fields) == 0 || end <= at {
			return list
		}
		at = end
		named := ""
		for i, f := range fields {
			f.start += leading(text[f.start:f.end], around)
			f.end = f.start + len(strings.TrimRight(text[f.start:f.end], around))
			switch {
			case i >= len(secret):
			case isPairName(secret[i]):
				named = text[f.start:f.end]
			case isPairValue(secret[i]):
				list = append(list, field{f, named})
			case secret[i] != "":
				list = append(list, field{f, secret[i]})
			}
		}
	}
}

// without returns a text without the secrets in some fields.
func (x *redaction) without(text string, fields []field) string {
	var clean strings.Builder
	copied := 0
	for _, f := range fields {
		value := text[f.start:f.end]
		if isHarmless(value) || strings.EqualFold(value, "null") || !isSecretFor(f.name, value) {
			continue
		}
		clean.WriteString(text[copied:f.start])
		clean.WriteString(x.Hash(value))
		copied = f.end
	}
	clean.WriteString(text[copied:])
	return clean.String()
}

type span struct{ start, end int }

// row returns the fields of a row that begins at a place, and where it ends: before a byte that ends it outside of
// quotes and parentheses.
func row(text string, at int, separator byte, ends string) (fields []span, end int) {
	begin := at
	var quote byte
	depth := 0
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' && ends == ")":
			quote = c
		case c == '(' && ends == ")":
			depth++
		case c == ')' && depth > 0:
			depth--
		case strings.IndexByte(ends, c) >= 0:
			return append(fields, span{begin, i}), i
		case c == separator && depth == 0:
			fields, begin = append(fields, span{begin, i}), i+1
		}
	}
	return append(fields, span{begin, len(text)}), len(text)
}
