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
		name := fieldName(string(head))
		part := said(name)
		part.Secret = part.Secret || IsSecret(name)
		if clean := x.field(below(where, name), string(content), part); clean != string(content) {
			pieces[i+1] = append(append(bytes.Clone(head), "\r\n\r\n"...), clean...)
			x.note(below(where, name))
		}
	}
	return bytes.Join(pieces, delimiter)[len("\r\n"):], true
}

// fieldName returns the name of the field that a part of a form holds, by its header.
func fieldName(head string) string {
	for line := range strings.SplitSeq(head, "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		if textproto.CanonicalMIMEHeaderKey(name) == "Content-Disposition" {
			_, parameters, _ := mime.ParseMediaType(value)
			return parameters["name"]
		}
	}
	return ""
}
