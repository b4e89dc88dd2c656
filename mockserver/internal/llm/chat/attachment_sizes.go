package chat

import (
	"bytes"
	"compress/zlib"
	"image"
	_ "image/gif" // the formats that images of chats have
	_ "image/jpeg"
	_ "image/png"
	"io"
	"mime"
	"regexp"
	"strings"
)

// measureImage returns the size of an image, or nil if its bytes are in no known format, whatever its type: a test may
// well send a few letters for a picture (assumed).
func measureImage(contentType string, content []byte) (width, height *int) {
	if !strings.HasPrefix(contentType, "image/") {
		return nil, nil
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return nil, nil
	}
	return &config.Width, &config.Height
}

// These patterns match the parts of a PDF that describe its pages. A page is an object of the type Page; objects of the
// type Pages only group others.
var (
	pdfObject = regexp.MustCompile(`(?s)\b(\d+\s+\d+)\s+obj\b(.*?)\bendobj\b`)
	pdfPage   = regexp.MustCompile(`/Type\s*/Page\b[^s]`)
	pdfPacked = regexp.MustCompile(`(?s)/Type\s*/ObjStm\b.*?\bstream\r?\n`)
)

// maxUnpacked is the largest part of one packed stream that is read, in bytes.
const maxUnpacked = 16 << 20

// countPages returns the number of pages of a PDF, or nil if it finds no pages. It counts the page objects, plain or in
// packed streams of objects, each plain object once however often it was rewritten. The libraries that read PDFs do far
// more and weigh more than the rest of the mock; this does not read encrypted files.
func countPages(contentType string, content []byte) *int {
	if kind, _, _ := mime.ParseMediaType(contentType); kind != "application/pdf" {
		return nil
	}
	pages, packed := map[string]bool{}, 0
	for _, object := range pdfObject.FindAllSubmatch(content, -1) {
		number, body := string(object[1]), object[2]
		if at := pdfPacked.FindIndex(body); at != nil {
			packed += len(pdfPage.FindAll(inflated(body[at[1]:]), -1))
			continue
		}
		dictionary, _, _ := bytes.Cut(body, []byte("stream"))
		if pdfPage.Match(dictionary) {
			pages[number] = true
		}
	}
	count := len(pages) + packed
	if count == 0 {
		return nil
	}
	return &count
}

// inflated returns the beginning of a packed stream; nil if it is packed in another way.
func inflated(stream []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil
	}
	defer r.Close()
	text, _ := io.ReadAll(io.LimitReader(r, maxUnpacked)) // the readable part counts
	return append(text, '\n')
}
