package recording

import "strings"

// CutPlain cuts an address into its origin, its path, and its query with the question mark, as they are written. It
// reports whether the address has the form that most have, and else has to be parsed: of http or https, without a user
// and a fragment, and with nothing but letters, digits and -._~ in its host and between the slashes of its path.
func CutPlain(address string) (origin, path, query string, isPlain bool) {
	host, found := strings.CutPrefix(address, "http://")
	if !found {
		host, found = strings.CutPrefix(address, "https://")
	}
	scheme := len(address) - len(host)
	port := scheme + plainLength(host, false)
	if !found || port == scheme {
		return "", "", "", false
	}
	path = address[port:]
	if strings.HasPrefix(path, ":") {
		path = strings.TrimLeft(path[1:], "0123456789")
	}
	origin = address[:len(address)-len(path)]
	path, query = path[:plainLength(path, true)], path[plainLength(path, true):]
	isPlain = (path == "" || path[0] == '/') && (query == "" || query[0] == '?') && strings.IndexByte(query, '#') < 0
	return origin, path, query, isPlain
}

// plainLength returns how many bytes at the beginning of a text are never escaped in an address.
func plainLength(text string, isPath bool) int {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_', c == '~':
		case c == '/' && isPath:
		default:
			return i
		}
	}
	return len(text)
}
