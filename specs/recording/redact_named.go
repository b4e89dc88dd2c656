package recording

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// named takes out what stands behind the name of a secret in a text, in the syntaxes in which texts have names and
// values:
//
//	?name=value&name=value   name = 'value';   --name value   name := value   name => value
//	name: value   {name: value, …}   "name": "value"   \"name\": {…}   a block of YAML below name:
//	name 'value'   identified by 'value'
//	<name>value</name>   <x name="value"/>   <x key="name" value="value"/>   <key>name</key><string>value</string>
//
// It is not a parser of any of them: names and values are found wherever they stand, also in the middle of other text.
func (x *redaction) named(text string) string {
	var clean strings.Builder
	var bytes []byte // of the text, if there may be JSON in it
	copied := 0
	for i := 0; i < len(text); {
		c, isFound := cut{}, false
		switch text[i] {
		case '=', ':':
			c, isFound = assigned(text, i)
		case '\'', '"':
			c, isFound = quotedAfterName(text, i)
		case '-':
			c, isFound = flagValue(text, i)
		case '<':
			c, isFound = inMarkup(text, i)
		case '{', '[':
			if !mayBeginJSON(text, i) {
				break
			}
			if bytes == nil {
				bytes = []byte(text)
			}
			if inner, length := x.embedded(bytes[i:]); length > 1 {
				clean.WriteString(text[copied:i])
				clean.WriteString(inner)
				i += length
				copied = i
				continue
			}
		}
		if i++; !isFound || c.start < copied {
			continue
		}
		value := text[c.start:c.end]
		if c.isVague && isNumber(value) || isHarmless(value) {
			i = max(i, c.end)
			continue
		}
		clean.WriteString(text[copied:c.start])
		switch {
		case c.hasScheme && isScheme(value[:upTo(value, " ")]):
			clean.WriteString(x.credential("Authorization", value))
		case c.isQuoted:
			clean.WriteString(`"` + x.Hash(value) + `"`)
		default:
			clean.WriteString(x.Hash(value))
		}
		copied = c.end
		i = max(i, c.end)
	}
	if copied == 0 {
		return text
	}
	clean.WriteString(text[copied:])
	return clean.String()
}

// mayBeginJSON reports whether what stands at a place of a text may be a list or an object with something in it.
func mayBeginJSON(text string, at int) bool {
	next := at + 1
	for next < len(text) && strings.IndexByte(" \t\r\n", text[next]) >= 0 && next < at+maxIndent {
		next++
	}
	return next < len(text) && strings.IndexByte("\"{[", text[next]) >= 0
}

// embedded returns the JSON at the beginning of a text without its secrets, and its length before, which is 0 or 1 if
// it is none.
func (x *redaction) embedded(text []byte) (clean string, length int) {
	if !x.affords(maxIndent) || x.depth >= maxDepth {
		return x.Hash(string(text)), len(text)
	}
	x.depth++
	clean, length = x.jsonPrefix(text)
	x.depth--
	return clean, length
}

// isScheme reports whether a word is the scheme of a credential, rather than a part of one.
func isScheme(word string) bool {
	switch strings.ToLower(word) {
	case "basic", "bearer", "digest", "token", "negotiate", "ntlm", "apikey", "oauth", "hawk", "dpop", "aws4-hmac-sha256":
		return true
	}
	return len(word) < 16 && strings.HasSuffix(word, "1") && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "1"
}

// cut is the place of a secret in a text.
type cut struct {
	start, end int
	isVague    bool // its name is vague
	hasScheme  bool // it begins with the scheme of a credential
	isQuoted   bool // what takes its place has to be put in quotes
}

// isHarmless reports whether a value reveals nothing: it is empty, a mark, a mark behind a scheme, or it refers to a
// secret that stands elsewhere, as in password: ${secret:db}.
func isHarmless(value string) bool {
	value = strings.Trim(value, " \t\r\n\"'\\")
	switch value {
	case "", "null", "true", "false", "nil", "None", "True", "False", "undefined":
		return true
	}
	if at := strings.Index(value, Mark); at >= 0 && mark.MatchString(value[at:]) {
		return strings.IndexByte(strings.TrimRight(value[:at], " "), ' ') < 0
	}
	return strings.HasPrefix(value, "${") || strings.HasPrefix(value, "{{")
}

// nameIn describes a name that stands before a place in a text.
type nameIn struct {
	text    string
	start   int  // of the name, or of the quote before it
	quote   byte // behind it, if there is one
	isVague bool
}

// nameBefore returns the name of a secret that ends at a place of a text, but for blanks and a quote. Without one its
// text is empty.
func nameBefore(text string, at int) (n nameIn) {
	at = len(strings.TrimRight(text[max(0, at-8):at], " \t")) + max(0, at-8)
	if at > 1 && text[at-1] == ']' && isQuote(text[at-2]) { // env['NAME'] =
		at--
	}
	if at > 0 && isQuote(text[at-1]) {
		n.quote = text[at-1]
		at = len(strings.TrimRight(text[max(0, at-9):at-1], `\`)) + max(0, at-9)
	}
	n.start = at
	for n.start > 0 && at-n.start <= maxName && isOfName(text[n.start-1]) {
		n.start--
	}
	name := text[n.start:at]
	if n.quote != 0 && n.start > 0 && isQuote(text[n.start-1]) {
		n.start = max(0, n.start-8) + len(strings.TrimRight(text[max(0, n.start-8):n.start-1], `\`))
	}
	if strings.Contains(name, "%") {
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		name = name[strings.LastIndexAny(name, "?&; =")+1:]
	}
	for part := range strings.SplitSeq(name, "[") {
		switch {
		case IsSecret(part):
			n.text, n.isVague = part, false
			return n
		case isVague(part):
			n.text, n.isVague = part, true
		}
	}
	return n
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// isOfName reports whether a byte may stand in a name.
func isOfName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 ||
		strings.IndexByte("_.-[]$%", c) >= 0
}

// assigned returns the value behind a sign that assigns it to a name.
func assigned(text string, at int) (c cut, isFound bool) {
	sign := text[at]
	before := at
	if before > 0 && sign == '=' && text[before-1] == ':' {
		before--
	}
	if at > 0 && strings.IndexByte("!<>=", text[at-1]) >= 0 {
		return c, false
	}
	name := nameBefore(text, before)
	if name.text == "" {
		return c, false
	}
	c.isVague = name.isVague
	from := at + 1
	for from < len(text) && (text[from] == '=' || text[from] == '>') && sign == '=' {
		from++
	}
	from += leading(text[from:], " \t")
	if sign == ':' {
		return colonValue(text, from, name, c)
	}
	if isContainer(text, from) {
		c.start, c.end = from, endOfContainer(text, from)
		return c, true
	}
	if c.start, c.end, isFound = inQuotes(text, from); isFound {
		return c, true
	}
	c.start, c.end = from, from+upTo(text[from:], " \t\r\n&;\"'<>#`")
	if hasScheme(name.text) && isScheme(text[c.start:c.end]) {
		c.hasScheme, c.end = true, from+upTo(text[from:], "\r\n&;\"'<>`")
	}
	return c, c.end > c.start
}

// colonValue returns the value behind a name and a colon. In the middle of a line that is a name only if something but
// a word stands before it, since prose has colons as well.
func colonValue(text string, from int, name nameIn, c cut) (cut, bool) {
	if from < len(text) && (text[from] == ':' || text[from] == '=') || strings.HasPrefix(text[from:], "//") {
		return c, false
	}
	line := text[max(0, name.start-maxIndent):name.start]
	newline := strings.LastIndexByte(line, '\n')
	line = line[newline+1:]
	lead := strings.TrimRight(line, " \t-")
	isFirst := (newline >= 0 || name.start <= maxIndent) && (lead == "" || lead == "export")
	before := byte(0)
	if lead != "" {
		before = lead[len(lead)-1]
	}
	c.hasScheme = hasScheme(name.text)
	isInside := name.quote != 0 || strings.IndexByte("{,;([&?\"'`\\|#*>/", before) >= 0 && before != 0
	if isContainer(text, from) && (isFirst || isInside) {
		c.start, c.end, c.isQuoted, c.hasScheme = from, endOfContainer(text, from), name.quote == '"', false
		return c, true
	}
	if start, end, isThere := inQuotes(text, from); isThere {
		c.start, c.end = start, end
		return c, true
	}
	switch {
	case isFirst && (name.quote == 0 || from == len(text) || text[from] == '\r' || text[from] == '\n'):
		c.start, c.end = from, from+upTo(text[from:], "\r\n")
		if block := strings.TrimRight(text[c.start:c.end], " \t"); block == "" || block[0] == '|' || block[0] == '>' {
			c.hasScheme = false
			c.start, c.end = blockBelow(text, c.end, leading(line, " \t"), block == "")
		}
	case isQuote(before) && name.quote == 0: // "Authorization: …"
		c.start, c.end = from, from+upTo(text[from:], string(before)+"\\\r\n")
	case isInside:
		c.start, c.end = from, from+upTo(text[from:], ",;&})]\"'`\r\n")
	case c.hasScheme || isCookie(name.text):
		c.start, c.end = from, from+upTo(text[from:], "\"'`\r\n")
	default:
		return c, false
	}
	return c, c.end > c.start
}

// maxIndent bounds what stands before a name at the beginning of a line.
const maxIndent = 64

// blockBelow returns the lines of a block of YAML behind the line that ends at a place: those that are indented further
// than its name. Items of a list need not be, if the name has no value.
func blockBelow(text string, at, indent int, mayBeList bool) (start, end int) {
	start, end = at, at
	for next := at; next < len(text); {
		next += leading(text[next:], "\r\n")
		line := text[next : next+upTo(text[next:], "\r\n")]
		inner := leading(line, " \t")
		isItem := mayBeList && inner == indent && strings.HasPrefix(line[inner:], "- ")
		if inner <= indent && !isItem {
			break
		}
		if start == at {
			start = next + inner
		}
		next += len(line)
		end = next
	}
	return start, end
}

// quotedAfterName returns the text in quotes that stands behind a name and a blank, as in SQL: PASSWORD 'value'.
func quotedAfterName(text string, at int) (c cut, isFound bool) {
	if at == 0 || strings.IndexByte(" \t(", text[at-1]) < 0 {
		return c, false
	}
	name := nameBefore(text, at)
	if text[at-1] == '(' { // PASSWORD('value')
		name = nameBefore(text, at-1)
	}
	if (name.text == "" || name.quote != 0 || name.isVague) && !isIdentified(text[max(0, at-64):at]) {
		return c, false
	}
	c.start, c.end, isFound = inQuotes(text, at)
	return c, isFound
}

// isIdentified reports whether a text ends in IDENTIFIED BY, or IDENTIFIED WITH a plugin BY.
func isIdentified(text string) bool {
	text = strings.TrimRight(text, " \t")
	if n := len(text) - 2; n < 0 || !strings.EqualFold(text[n:], "by") && !strings.EqualFold(text[n:], "as") {
		return false
	}
	words := strings.Fields(strings.ToLower(text))
	return slices.Contains(words[max(0, len(words)-4):], "identified")
}

// flagValue returns what follows --name and a blank.
func flagValue(text string, at int) (c cut, isFound bool) {
	if !strings.HasPrefix(text[at:], "--") || at > 0 && isOfName(text[at-1]) {
		return c, false
	}
	length := 2
	for at+length < len(text) && length <= maxName && isOfName(text[at+length]) {
		length++
	}
	end := at + length
	name, blanks := text[at+2:end], leading(text[end:], " \t")
	c.isVague = isVague(name)
	if blanks == 0 || !c.isVague && !IsSecret(name) {
		return c, false
	}
	end += blanks
	if c.start, c.end, isFound = inQuotes(text, end); isFound {
		return c, true
	}
	c.start, c.end = end, end+upTo(text[end:], " \t\r\n\"'`;|&")
	return c, c.end > c.start && text[c.start] != '-'
}

// isPairName and isPairValue report whether a name in lower case is that of what stands for a name or for its value, as
// in {"name":…,"value":…}.
func isPairName(name string) bool {
	switch name {
	case "name", "key", "field", "header", "parameter", "param", "variable", "property", "attribute", "label", "id",
		"n", "k",
		"type":
		return true
	}
	return false
}

func isPairValue(name string) bool {
	switch name {
	case "value", "values", "val", "v", "default":
		return true
	}
	return false
}

// attribute finds the attributes of a tag.
var attribute = regexp.MustCompile(`([\w.:-]+)\s*=\s*(?:\\?"([^"]*?)\\?"|'([^']*)')`)

// maxTag bounds the length of a tag.
const maxTag = 4096

// inMarkup returns the secret of an element of XML or HTML that begins at a place: what is in an element of that name,
// or the value of one whose name is in an attribute or in the element before.
func inMarkup(text string, at int) (c cut, isFound bool) {
	length := 1
	for at+length < len(text) && length <= maxName && (isOfName(text[at+length]) || text[at+length] == ':') {
		length++
	}
	name := text[at+1 : at+length]
	inTag := upTo(text[at+length:min(len(text), at+length+maxTag)], "<>")
	end := at + length + inTag // of the tag
	if name == "" || end >= len(text) || text[end] != '>' {
		return c, false
	}
	local := name[strings.LastIndexByte(name, ':')+1:]
	c.isVague = isVague(local)
	isSecret := IsSecret(local) || c.isVague
	for _, found := range attribute.FindAllStringSubmatchIndex(text[at+length:end], -1) {
		name, start, stop := strings.ToLower(text[at+length+found[2]:at+length+found[3]]), found[4], found[5]
		if start < 0 {
			start, stop = found[6], found[7]
		}
		start, stop = start+at+length, stop+at+length
		switch value := text[start:stop]; {
		case isPairName(name) && (IsSecret(value) || isVague(value)):
			isSecret, c.isVague = true, isVague(value)
		case isPairValue(name):
			c.start, c.end = start, stop
		}
	}
	if isSecret && c.end > c.start {
		return c, true
	}
	content := end + 1
	if text[end-1] == '/' {
		return c, false
	}
	if isSecret {
		closing := strings.Index(text[content:], "</"+name)
		if closing < 0 {
			closing = len(text) - content
		}
		return cut{start: content, end: content + closing, isVague: c.isVague}, closing > 0
	}
	if !isPairName(strings.ToLower(local)) {
		return c, false
	}
	ofName := upTo(text[content:min(len(text), content+maxName)], "<>")
	named := strings.TrimSpace(text[content : content+ofName])
	next, isClosed := strings.CutPrefix(text[content+ofName:min(len(text), content+ofName+maxTag)], "</")
	if c.isVague = isVague(named); !isClosed || !c.isVague && !IsSecret(named) {
		return c, false
	}
	_, next, _ = strings.Cut(next, ">")
	next = strings.TrimLeft(next, " \t\r\n")
	tag := upTo(next, ">")
	if tag == len(next) || next[0] != '<' || next[tag-1] == '/' {
		return c, false
	}
	c.start = min(len(text), content+ofName+maxTag) - len(next) + tag + 1
	if c.end = strings.Index(text[c.start:], "</"+next[1:1+upTo(next[1:], " \t\r\n>")]); c.end < 0 {
		c.end = len(text) - c.start
	}
	c.end += c.start
	return c, c.end > c.start
}

// inQuotes returns what is in the quotes that begin at a place, which may be escaped, as in JSON in a text. Without an
// end it goes to that of the text.
func inQuotes(text string, at int) (start, end int, isFound bool) {
	start = at + literalPrefix(text[at:])
	begin := start
	start += leading(text[start:], `\`)
	if start == len(text) || !isQuote(text[start]) {
		return 0, 0, false
	}
	start++
	quote := text[begin:start]
	if triple := strings.Repeat(quote, 3); len(quote) == 1 && strings.HasPrefix(text[begin:], triple) {
		quote, start = triple, begin+3
	}
	for end = start; ; {
		next := strings.Index(text[end:], quote)
		if next < 0 {
			return start, len(text), true
		}
		escapes := len(text[start:end+next]) - len(strings.TrimRight(text[start:end+next], `\`))
		end += next
		switch {
		case len(quote) == 2 && escapes > 0, escapes%2 == 1:
			end += len(quote)
		case quote == "'" && strings.HasPrefix(text[end:], "''"):
			end += 2
		default:
			return start, end, true
		}
	}
}

// literalPrefix returns the length of what stands before the quotes of a text in SQL, Python and others, as in N'…'.
func literalPrefix(text string) int {
	letters := leading(text[:min(len(text), 2)], "bBeEfFnNrRuU&")
	if letters < len(text) && isQuote(text[letters]) {
		return letters
	}
	return 0
}

// isContainer reports whether a list or an object begins at a place. What begins with ${ or {{ is a reference.
func isContainer(text string, at int) bool {
	return at < len(text) && (text[at] == '{' || text[at] == '[') && !strings.HasPrefix(text[at:], Mark) &&
		!strings.HasPrefix(text[at:], "{{")
}

// endOfContainer returns the end of a list or an object.
func endOfContainer(text string, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			if _, end, isFound := inQuotes(text, i); isFound {
				i = end
			}
		}
	}
	return len(text)
}

// leading returns how many bytes at the beginning of a text are in a set; upTo, how many come before one of it.
func leading(text, set string) int { return len(text) - len(strings.TrimLeft(text, set)) }

func upTo(text, set string) int {
	if at := strings.IndexAny(text, set); at >= 0 {
		return at
	}
	return len(text)
}

// secretName matches the names of headers, fields and parameters that hold secrets in any interface: by their last
// word, which begins after a separator or with a capital, or by what is too long to be the end of another word.
var secretName = regexp.MustCompile(`(?i:(?:^|[_.\[ -])(?:` +
	`(?:write|api|access|private|secret|signing|encryption|ssh|master|account|shared|subscription|auth|session)[_-]?key|` +
	`token|secret|credentials?|authorization|cookies?|jwt|otp|sig|signature)|` +
	`(?:api|access|subscription)key|access[_-]?key[_-]?id|(?:access|refresh|auth|session)token|clientsecret|` +
	`passw(?:or)?d|passphrase|passcode|pwd)$|` +
	`[a-z0-9](?:(?:Write|Api|API|Access|Private|Secret|Signing|Encryption|Ssh|SSH|Master|Account|Shared|` +
	`Subscription|Auth|` +
	`Session)Key|Token|Secret|Credentials?|Authorization|Cookie|Jwt|JWT|Otp|OTP|Signature)$`)

// vagueName matches names that are those of secrets unless a document describes them, or the value is a number, such as
// an id or a count.
var vagueName = regexp.MustCompile(`(?i:sess(?:ion)?[_.-]?id|(?:^|[_.\[ -])pass)$|[a-z0-9]Pass$`)

// endsOfNames are the words in which the names end that secretName and vagueName match, by their last two letters: most
// names need not be held against these.
var endsOfNames = map[[2]byte][]string{
	{'i', 'd'}: {
		"keyid", "key_id", "key-id", "sessid", "sionid", "sion_id", "sion-id", "sess_id", "sess-id", "sion.id", "sess.id",
	},
	{'e', 'n'}: {"token"}, {'e', 't'}: {"secret"}, {'a', 'l'}: {"credential"}, {'l', 's'}: {"credentials"},
	{'o', 'n'}: {"authorization"}, {'i', 'e'}: {"cookie"}, {'e', 's'}: {"cookies"}, {'w', 't'}: {"jwt"},
	{'t', 'p'}: {"otp"}, {'i', 'g'}: {"sig"},
	{'r', 'e'}: {"signature"}, {'w', 'd'}: {"passwd", "pwd"}, {'r', 'd'}: {"password"}, {'s', 'e'}: {"passphrase"},
	{'d', 'e'}: {"passcode"}, {'s', 's'}: {"pass"},
}

// keysOf are the words before key in the names of secrets.
var keysOf = []string{
	"write", "api", "access", "private", "secret", "signing", "encryption", "ssh", "master", "account", "shared",
	"subscription", "auth", "session",
}

// maxName bounds the length of names. What is longer is none.
const maxName = 256

// IsSecret reports whether a name is one of a secret, such as api_key, X-Auth-Token or settings[dbPassword].
func IsSecret(name string) bool { return isNamed(name, secretName) }

// isSecretFor reports whether a value under a name is a secret.
func isSecretFor(name, value string) bool {
	return IsSecret(name) || isVague(name) && !isNumber(value)
}

func isVague(name string) bool { return isNamed(name, vagueName) }

func isNamed(name string, pattern *regexp.Regexp) bool {
	return mayBeSecret(name) && pattern.MatchString(withoutEnd(name))
}

// withoutEnd returns a name without what may stand behind its last word.
func withoutEnd(name string) string {
	n := len(name)
	for n > 0 && (name[n-1] >= '0' && name[n-1] <= '9' || strings.IndexByte("[] ", name[n-1]) >= 0) {
		n--
	}
	return name[:n]
}

// mayBeSecret reports whether a name ends in one of the words that the patterns ask for. Names beyond ASCII may have
// such a word in other letters.
func mayBeSecret(name string) bool {
	if len(name) > maxName {
		return false
	}
	name = withoutEnd(name)
	n := len(name)
	if n < 2 {
		return false
	}
	const lower = 0x20
	words := endsOfNames[[2]byte{name[n-2] | lower, name[n-1] | lower}]
	if n > 3 && strings.EqualFold(name[n-3:], "key") {
		name, words = strings.TrimRight(name[:n-3], "_-"), keysOf
	}
	for _, word := range words {
		if begin := len(name) - len(word); begin >= 0 && strings.EqualFold(name[begin:], word) {
			return true
		}
	}
	return strings.ContainsFunc(name, func(r rune) bool { return r > 0x7f })
}

// isNumber reports whether a text is a number of as many digits as ids and counts have.
func isNumber(text string) bool {
	return len(text) <= 18 && strings.Trim(text, "0123456789") == ""
}
