package recording

import (
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/specs"
)

// uncoded returns a body without its content codings. It is the body itself if it has none, or is plain already, as
// bodies in recordings are. Of a body that was cut, it is as much as can be decoded.
func (x *redaction) uncoded(header string, body *Body) (*Body, error) {
	codings := slices.DeleteFunc(strings.Split(strings.ToLower(header), ","), func(coding string) bool {
		coding = strings.TrimSpace(coding)
		return coding == "" || coding == "identity"
	})
	if len(codings) == 0 || looksPlain(body.Bytes) {
		return body, nil
	}
	var r io.Reader = bytes.NewReader(body.Bytes)
	for _, coding := range slices.Backward(codings) {
		var err error
		if r, err = x.decoder(strings.TrimSpace(coding), r); err != nil {
			return nil, err
		}
	}
	plain, isLonger, err := x.read(r)
	switch {
	case errors.Is(err, errNoRoom):
		return nil, err
	case err != nil && !body.Truncated:
		return nil, fmt.Errorf("it cannot be decoded as %s: %w", header, err)
	}
	sent := *body
	sent.Bytes = plain
	if isLonger && !body.Truncated {
		sent.Truncated, sent.Size = true, int64(len(body.Bytes))
	}
	return &sent, nil
}

// read returns what a decoder yields, up to maxPlain bytes, and reports whether that is not all. With an error it
// returns what came before.
func (x *redaction) read(r io.Reader) (plain []byte, isLonger bool, err error) {
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(r, smallBody))
	if err != nil || n < smallBody {
		return b.Bytes(), false, err
	}
	if !x.hasRoom() {
		return nil, false, errNoRoom
	}
	if n, err = b.ReadFrom(io.LimitReader(r, maxPlain-smallBody)); err != nil || n < maxPlain-smallBody {
		return b.Bytes(), false, err
	}
	more, err := io.ReadFull(r, make([]byte, 1))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b.Bytes(), more > 0, err
}

// decoder returns a reader of what a coding stands for.
func (x *redaction) decoder(coding string, r io.Reader) (io.Reader, error) {
	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "bzip2": // of files only
		return bzip2.NewReader(r), nil
	case "deflate": // in a zlib wrapper, or bare, as some send it
		var start bytes.Buffer
		if plain, err := zlib.NewReader(io.TeeReader(r, &start)); err == nil {
			return plain, nil
		}
		return flate.NewReader(io.MultiReader(&start, r)), nil
	}
	if x.Decode == nil {
		return nil, fmt.Errorf("no decoder for the content coding %s", coding)
	}
	return x.Decode(coding, r)
}

// isFileWithSecret reports whether a body is a file that is not text, but can be read as one, and holds a secret or may
// hold one where it is not searched: one that is compressed, or a text of wide characters. A secret in it cannot be
// replaced without making another file of it.
func (x *redaction) isFileWithSecret(body *Body, part specs.Part) bool {
	switch {
	case bytes.HasPrefix(body.Bytes, []byte("PK\x03\x04")):
		return x.isZipWithSecret(body)
	case bytes.IndexByte(body.Bytes, 0) >= 0: // as in UTF-16 and UTF-32
		if x.isSecretFile(bytes.ReplaceAll(body.Bytes, []byte{0}, nil), specs.Part{}) {
			return true
		}
	}
	for _, file := range compressedFiles {
		if file.coding != "" && bytes.HasPrefix(body.Bytes, []byte(file.magic)) {
			r, err := x.decoder(file.coding, bytes.NewReader(body.Bytes))
			if err != nil {
				return file.coding != "gzip" // no one can read it
			}
			return x.isFileTooLarge(r, part)
		}
		if bytes.HasPrefix(body.Bytes, []byte(file.magic)) {
			return true
		}
	}
	return false
}

// compressedFiles are forms of files by their first bytes, with the coding by which they can be read, if there is one.
var compressedFiles = []struct{ magic, coding string }{
	{"\x1f\x8b", "gzip"},
	{"\x28\xb5\x2f\xfd", "zstd"},
	{"BZh", "bzip2"},
	{"\xfd7zXZ\x00", ""},
	{"7z\xbc\xaf\x27\x1c", ""},
	{"Rar!\x1a\x07", ""},
	{"\x04\x22\x4d\x18", ""},
}

// isFileTooLarge reports whether what a reader yields holds a secret, or is too large to be searched.
func (x *redaction) isFileTooLarge(r io.Reader, part specs.Part) bool {
	if x.depth >= maxDepth {
		return true
	}
	plain, isLonger, err := x.read(r) // as far as it can be read
	return isLonger || errors.Is(err, errNoRoom) || x.isSecretFile(plain, part)
}

// isSecretFile reports whether a file within a body holds a secret.
func (x *redaction) isSecretFile(plain []byte, part specs.Part) bool {
	aside := &redaction{Redactor: x.Redactor, op: x.op, depth: x.depth + 1, work: x.work, room: x.room} // notes no places
	file := &Body{Bytes: plain}
	isClean := aside.plain("", file, nil, part) == file
	x.work = aside.work
	return !isClean
}

// isZipWithSecret is isFileWithSecret for an archive of files.
func (x *redaction) isZipWithSecret(body *Body) bool {
	archive, err := zip.NewReader(bytes.NewReader(body.Bytes), int64(len(body.Bytes)))
	if err != nil { // it was cut, or is none
		return true
	}
	return slices.ContainsFunc(archive.File, func(f *zip.File) bool {
		r, err := f.Open()
		if err != nil {
			return true
		}
		defer r.Close()
		return !x.affords(len(f.Name)+valueWork) || x.isFileTooLarge(r, specs.Part{})
	})
}

// isStandard reports whether all readers of recordings know the codings.
func isStandard(header string) bool {
	for coding := range strings.SplitSeq(strings.ToLower(header), ",") {
		switch strings.TrimSpace(coding) {
		case "", "identity", "gzip", "x-gzip", "deflate":
		default:
			return false
		}
	}
	return true
}

// looksPlain reports whether bytes are text already.
func looksPlain(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) == 0 || b[0] == '{' || b[0] == '[' || b[0] == '"' || bytes.HasPrefix(b, []byte(Mark))
}

// lines takes secrets out of a text, line by line: each may be JSON by itself, as in NDJSON and in streams of events.
// The last line of a text that was cut may be JSON that was.
func (x *redaction) lines(where, text string, isCut bool) string {
	if !strings.Contains(text, "{") {
		return x.inText(text)
	}
	var clean strings.Builder
	plain := 0 // where lines that are not JSON begin
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		isLast := end < 0
		if isLast {
			end = len(text) - at
		}
		begin := at + end - len(strings.TrimLeft(strings.TrimPrefix(text[at:at+end], "data:"), " ")) // in a stream of events
		if line := text[begin : at+end]; looksLikeJSON(line) {
			if object, ok := x.jsonText(where, []byte(line), specs.Part{}, isLast && isCut); ok {
				clean.WriteString(x.inText(text[plain:begin]))
				clean.Write(object)
				plain = at + end
			}
		}
		at += end + 1
	}
	clean.WriteString(x.inText(text[plain:]))
	return clean.String()
}

// startOfSecret matches a last word that may be the beginning of an address with a password, or of a platform's key;
// scheme matches the word before a key.
var (
	startOfSecret = regexp.MustCompile(`:\\?/|[0-9]\\?/[0-9a-f]*$`)
	scheme        = regexp.MustCompile(`(?:Bearer|Basic|[A-Z0-9]1) $`)
)

// withoutTail returns a text that was cut without its last word, if that may be a part of a secret that can be
// recognised only as a whole.
func withoutTail(text string) string {
	text = withoutHalfRune(text)
	at := strings.LastIndexAny(text, " \t\r\n\"'<>") + 1
	if startOfSecret.MatchString(text[at:]) || scheme.MatchString(text[max(0, at-10):at]) {
		return text[:at]
	}
	return text
}

// withoutHalfRune returns a text without the beginning of a character at its end, if it is UTF-8 then.
func withoutHalfRune(text string) string {
	for n := range min(utf8.UTFMax, len(text)) {
		if utf8.ValidString(text[:len(text)-n]) {
			return text[:len(text)-n]
		}
	}
	return text
}

// word finds what may be a name in bytes that are not text.
var word = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.-]{2,}`)

// lengthsOfNames are bytes before a name of three letters that say so, as in MessagePack, Protocol Buffers and Avro.
// Such a name by itself stands in many a picture.
const lengthsOfNames = "\xa3\x03\x06"

// binary takes bytes out whole that are not text if they hold a name of a secret, or a credential.
func (x *redaction) binary(where, text string) []byte {
	isSecret := x.inText(text) != text || slices.ContainsFunc(word.FindAllStringIndex(text, -1), func(at []int) bool {
		isLong := at[1]-at[0] > 4 || at[0] > 0 && strings.IndexByte(lengthsOfNames, text[at[0]-1]) >= 0
		return isLong && IsSecret(text[at[0]:at[1]])
	})
	if !isSecret {
		return []byte(text)
	}
	x.note(where)
	return []byte(x.Hash(text))
}
