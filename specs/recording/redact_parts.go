package recording

import (
	"bytes"
	"mime"
	"net/textproto"
	"strings"

	"svc.example/understudy/specs"
)

// parts takes secrets out of the parts of a form, and leaves all other bytes as they were sent. It reports whether the
// text is such a form. Of a form that was cut, the last part is what there is of it.
func (x *redaction) parts(where string, body *Body, boundary string, said func(name string) specs.Part) ([]byte, bool) {
	delimiter := []byte("\r\n--" + boundary)
	pieces := bytes.Split(append([]byte("\r\n"), body.Bytes...), delimiter)
	last := len(pieces) - 1
	isWhole := bytes.HasPrefix(pieces[last], []byte("--"))
	if boundary == "" || last == 0 || len(pieces[0]) > 0 || !isWhole && !body.Truncated {
		return nil, false
	}
	if isWhole {
		last--
	}
	for i, piece := range pieces[1 : last+1] {
		isCut := !isWhole && i+1 == last
		head, content, found := bytes.Cut(piece, []byte("\r\n\r\n"))
		switch {
		case !found && isCut:
			pieces[i+1] = nil
			continue
		case !found:
			return nil, false
		case isCut:
			content = []byte(withoutTail(string(content)))
			pieces[i+1] = append(append(bytes.Clone(head), "\r\n\r\n"...), content...)
		}
		name, contentType := described(string(head))
		clean, place := x.inText(string(head)), below(where, name)
		value := x.part(place, name, &Body{Bytes: content, Truncated: isCut}, contentType, said(name))
		if clean != string(head) || !bytes.Equal(value, content) {
			pieces[i+1] = append([]byte(clean+"\r\n\r\n"), value...)
			x.note(place)
		}
	}
	return bytes.Join(pieces, delimiter)[len("\r\n"):], true
}

// part takes secrets out of what a part holds: a value, or a file.
func (x *redaction) part(where, name string, content *Body, contentType string, part specs.Part) []byte {
	if part.Secret || isSecretFor(name, string(content.Bytes)) || x.depth >= maxDepth {
		return []byte(x.hashText(string(content.Bytes)))
	}
	x.depth++
	clean := x.plain(where, content, Headers{{"Content-Type", contentType}}, part)
	x.depth--
	return clean.Bytes
}

// described returns the name of the field that a part of a form holds, and its media type, by its header.
func described(head string) (name, contentType string) {
	for line := range strings.SplitSeq(head, "\r\n") {
		key, value, _ := strings.Cut(line, ":")
		switch textproto.CanonicalMIMEHeaderKey(key) {
		case "Content-Disposition":
			_, parameters, _ := mime.ParseMediaType(value)
			name = parameters["name"]
		case "Content-Type":
			contentType = strings.TrimSpace(value)
		}
	}
	return name, contentType
}
