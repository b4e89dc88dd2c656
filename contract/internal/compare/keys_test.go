package compare_test

import (
	"testing"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/specs/recording"
)

// A key that was learned of one recording is known in others, whether these have it in plain or a mark in its place, as
// long as marks have one salt.
func TestKeysAreKnownInOtherRecordings(t *testing.T) {
	t.Parallel()
	one, other := &recording.Redactor{Salt: []byte("one")}, &recording.Redactor{Salt: []byte("other")}
	const key = "7/adm-1234"
	for name, tt := range map[string]struct {
		learned  string // in the recording of which it was learned
		salt     *recording.Redactor
		recorded string // in the one that is compared
		want     string
	}{
		"plain in both":                         {key, nil, key, "1/admin"},
		"plain in both, with a salt":            {key, one, key, "1/admin"},
		"the same mark in both":                 {one.Hash(key), nil, one.Hash(key), "1/admin"},
		"a mark, then plain with its salt":      {one.Hash(key), one, key, "1/admin"},
		"a mark, then plain without its salt":   {one.Hash(key), nil, key, ""},
		"a mark, then plain with another salt":  {one.Hash(key), other, key, ""},
		"marks of two salts":                    {one.Hash(key), one, other.Hash(key), ""},
		"another key":                           {key, one, "7/adm-1235", ""},
		"a key that only begins so":             {key, one, key + "5", ""},
		"a request without a key":               {key, one, "", ""},
		"a mark that was learned with its salt": {one.Hash(key), one, one.Hash(key), "1/admin"},
	} {
		c := compare.Config{Redactor: tt.salt}
		s := compare.Subject{Keys: map[string]string{compare.KeyDigest(tt.learned): "1/admin"}}
		if got := c.KeyFor(&s, tt.recorded); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
