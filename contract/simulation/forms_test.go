package simulation_test

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// exchange returns an exchange as it is recorded.
func (l loss) exchange(e *event) *recording.Exchange {
	x := e.Exchange
	if l.form == plain {
		x.Seq, x.Overlaps = 0, 0
	}
	if l.inWorlds {
		x.World = e.client.account.name
	}
	if l.oneKeyed {
		x.Request.Headers = slices.Clone(x.Request.Headers)
		for i, h := range x.Request.Headers {
			if e.client.sub == nil {
				x.Request.Headers[i][1] = strings.ReplaceAll(h[1], e.client.key, e.client.account.name)
			}
		}
	}
	switch {
	case l.has(timeless):
		x.Start, x.End = time.Time{}, time.Time{}
	case l.has(seconds):
		x.Start, x.End = x.Start.Truncate(time.Second), x.End.Truncate(time.Second)
	}
	if l.has(redacted) || l.has(pseudonyms) {
		x.Request.Headers = l.hide(x.Request.Headers)
		x.Redacted = []string{"Authorization"}
	}
	return &x
}

func (l loss) hide(headers recording.Headers) recording.Headers {
	list := slices.Clone(headers)
	redactor := &recording.Redactor{Salt: []byte("salt")}
	for i, h := range list {
		secret, isScheme := strings.CutPrefix(h[1], "SVC1 ")
		word := "REDACTED"
		if l.has(pseudonyms) {
			word = redactor.Hash(secret)
		}
		switch {
		case isScheme:
			list[i][1] = "SVC1 " + word
		case h[0] == "X-SVC-Write-Key":
			list[i][1] = word
		}
	}
	return list
}

// bytes returns a file as it is on disk.
func (l loss) bytes(f file) []byte {
	var b bytes.Buffer
	exchanges := func(yield func(*recording.Exchange) bool) {
		for _, e := range f.events {
			if !yield(l.exchange(e)) {
				return
			}
		}
	}
	if l.form == har {
		if err := recording.WriteHAR(&b, exchanges); err != nil {
			panic(err) // into memory
		}
		return b.Bytes()
	}
	for e := range exchanges {
		if err := recording.Write(&b, e); err != nil {
			panic(err) // into memory
		}
	}
	return b.Bytes()
}

// source reads all files, one after the other.
func (l loss) source(files []file) contract.Source {
	return func(yield func(contract.Record, error) bool) {
		n := 0
		for _, f := range files {
			for record, err := range contract.Read(f.name, bytes.NewReader(l.bytes(f))) {
				if err == nil {
					n++
					record.Number = n
				}
				if !yield(record, err) {
					return
				}
			}
		}
	}
}
