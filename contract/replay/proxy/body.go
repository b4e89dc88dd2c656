package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"

	"svc.example/understudy/specs/recording"
)

// bodyCopy keeps the beginning of a body that goes by, and the digest of one that is longer.
type bodyCopy struct {
	limit int64

	mu     sync.Mutex
	kept   []byte
	size   int64
	digest hash.Hash // nil as long as all is kept
	whole  bool
	closed bool // it is recorded
}

// newCopy returns a copy, or nil if nothing is recorded.
func (p *Proxy) newCopy() *bodyCopy {
	if p.recorder == nil {
		return nil
	}
	return &bodyCopy{limit: p.config.BodyLimit}
}

func (c *bodyCopy) add(b []byte) {
	if c == nil || len(b) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	room := max(0, min(c.limit-int64(len(c.kept)), int64(len(b))))
	c.kept = append(c.kept, b[:room]...)
	if c.size += int64(len(b)); c.size > c.limit {
		if c.digest == nil {
			c.digest = sha256.New()
			c.digest.Write(c.kept)
			b = b[room:]
		}
		c.digest.Write(b)
	}
}

// end notes that all of the body has gone by.
func (c *bodyCopy) end() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.whole = true
}

func (c *bodyCopy) isWhole() bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.whole
}

// body returns what is recorded of the body.
func (c *bodyCopy) body() *recording.Body {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	body := &recording.Body{Bytes: c.kept, Truncated: !c.whole || c.digest != nil}
	if c.whole && c.digest != nil {
		body.Size, body.SHA256 = c.size, hex.EncodeToString(c.digest.Sum(nil))
	}
	if c.kept, c.closed = nil, true; body.Bytes == nil {
		body.Bytes = []byte{}
	}
	return body
}

// buffers is a pool of buffers to copy with.
type buffers struct{ sync.Pool }

func newBuffers() *buffers {
	return &buffers{sync.Pool{New: func() any { return new([32 << 10]byte) }}}
}

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte { return b.Pool.Get().(*[32 << 10]byte)[:] }

// Put implements httputil.BufferPool.
func (b *buffers) Put(buffer []byte) { b.Pool.Put((*[32 << 10]byte)(buffer)) }
