package result

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"sync"
	"unsafe"
	"weak"

	"svc.example/understudy/mockserver/internal/world"
)

// minShared is the size of a result, in bytes, from which on answers share its bytes.
const minShared = 64 << 10

// Renderings lets concurrent answers share the bytes of a result, so that memory does not depend on how many clients
// read it at a time, or how slowly. Bytes that no answer needs any more are dropped.
type Renderings struct {
	known sync.Map // rendering of → *rendering
}

// renderingOf identifies a rendering: a result in one form.
type renderingOf struct {
	output          weak.Pointer[world.Output]
	format          string
	header, nullify bool
	rows            int64
}

type rendering struct {
	mu    sync.Mutex
	first weak.Pointer[byte]
	size  int
	etag  string
}

// Render returns a result in the form that a client asks for, and the ETag of these bytes.
func (s *Renderings) Render(out *world.Output, form Form) (rows []byte, etag string, err error) {
	if len(out.Rows) < minShared {
		return renderAlone(out, form)
	}
	name := renderingOf{weak.Make(out), form.name, form.header, form.nullify, min(form.Limit, out.Count)}
	known, _ := s.known.LoadOrStore(name, &rendering{})
	r := known.(*rendering)
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.first.Value(); first != nil {
		return unsafe.Slice(first, r.size), r.etag, nil
	}
	rows, etag, err = renderAlone(out, form)
	if err != nil || len(rows) == 0 {
		s.known.Delete(name)
		return rows, etag, err
	}
	r.first, r.size, r.etag = weak.Make(&rows[0]), len(rows), etag
	runtime.AddCleanup(&rows[0], s.forget, name)
	return rows, etag, nil
}

// forget drops a rendering whose bytes are gone, unless it was rendered again in the meantime.
func (s *Renderings) forget(name renderingOf) {
	known, ok := s.known.Load(name)
	if !ok {
		return
	}
	r := known.(*rendering)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first.Value() == nil {
		s.known.CompareAndDelete(name, r)
	}
}

func renderAlone(out *world.Output, form Form) (rows []byte, etag string, err error) {
	rows, err = form.write(form, out)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(rows)
	return rows, `"` + hex.EncodeToString(sum[:8]) + `"`, nil
}
