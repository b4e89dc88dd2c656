package capture_test

import (
	"bytes"
	"errors"
	"testing"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs/recording"
)

// drain reads hostile bytes: it must end, and every item must be whole.
func drain(t *testing.T, data []byte) {
	t.Helper()
	within := len(data)
	if len(data) > 1 && (data[0] == 0x1f || data[0] == 'P' || data[0] == 'x') {
		within = 1 << 30 // offsets are those within what is compressed
	}
	drainWithin(t, data, within)
}

func drainWithin(t *testing.T, data []byte, within int) {
	t.Helper()
	for item, err := range capture.Read("fuzz", bytes.NewReader(data)).Items() {
		if err != nil {
			if _, ok := errors.AsType[*record.ReadError](err); !ok {
				t.Errorf("%v is no problem with a place", err)
			}
			continue
		}
		if item.Exchange == nil || item.Request.Method == "" || item.Number < 1 || item.Offset >= int64(within) {
			t.Errorf("item %+v", item)
		}
	}
}

func FuzzHAR(f *testing.F) {
	f.Add([]byte(archive(entry(get, content(`{"size":2,"text":"{}"}`)))))
	f.Add([]byte(`{"log":{"entries":[{"a":"\"]"},NaN,-Infinity,[`))
	f.Add([]byte(`{"x":"\\","log":{"entries":[]}}`))
	f.Fuzz(drain)
}

func FuzzNDJSON(f *testing.F) {
	f.Add([]byte(first + "\n" + second + "\n"))
	f.Add([]byte(`{"seq":1e9,"request":{}}` + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		drain(t, data)
		for item, err := range capture.Read("fuzz", bytes.NewReader(data)).Items() {
			if err != nil || bytes.HasPrefix(data, []byte(`{"log"`)) {
				continue
			}
			var again bytes.Buffer
			if err := recording.Write(&again, item.Exchange); err != nil {
				continue // years beyond 9999
			}
			if _, problems := read(again.String()); problems != nil {
				t.Errorf("written anew: %v\n%s", problems, again.String())
			}
		}
	})
}
