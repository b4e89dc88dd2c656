package capture_test

import (
	"archive/zip"
	"bytes"
	"testing"
)

// FuzzRead is the detection, and every format behind it.
func FuzzRead(f *testing.F) {
	for _, text := range samples(f) {
		f.Add([]byte(text))
	}
	f.Add([]byte("\xff\xfe{\x00"))
	f.Add([]byte("x\x9c\x03\x00"))
	f.Fuzz(drain)
}

func FuzzYAML(f *testing.F) {
	for _, c := range cassettes {
		f.Add([]byte(c.text))
	}
	f.Add([]byte("interactions:\n- &a [*a, *b]\n- *a\n"))
	f.Add([]byte("interactions: [{request: {method: GET}}]\n"))
	f.Add([]byte("http_interactions:\n- request: !!binary '*'\n-\n -\n---\n- x"))
	f.Fuzz(func(t *testing.T, data []byte) { drain(t, append([]byte("version: 1\n"), data...)) })
}

func FuzzJSONCassette(f *testing.F) {
	f.Add([]byte(`{"request":{"method":"GET","uri":"u","headers":{"A":["b"]},"body":{"base64_string":"eA=="}},"response":{"status":{"code":200}}}`))
	f.Add([]byte(`[[[{"request":null}]]],7,{"request":{"method":NaN}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		drain(t, append(append([]byte(`{"http_interactions":[`), data...), "]}"...))
	})
}

func FuzzZip(f *testing.F) {
	f.Add("har.har", []byte(archive(entry(get, content(`{"size":2,"_file":"x.json"}`)))), []byte("[]"))
	f.Add("../../etc/passwd", []byte(first), []byte{})
	f.Add(".hidden", []byte(goVCR), []byte("x"))
	f.Fuzz(func(t *testing.T, name string, text, attached []byte) {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for name, content := range map[string][]byte{name: text, "x.json": attached} {
			entry, err := w.Create(name)
			if err != nil {
				t.Skip(err)
			}
			if _, err := entry.Write(content); err != nil {
				t.Skip(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Skip(err)
		}
		drainWithin(t, b.Bytes(), max(len(text), len(attached)))
		if len(text) > 0 {
			b.Bytes()[len(text)%b.Len()] ^= 0x55
			drainWithin(t, b.Bytes(), 1<<30)
		}
	})
}
