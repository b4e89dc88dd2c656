package contract

import (
	"sync"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
)

// Of what the first engine passes, the second one judges a sample: of each operation and status all exchanges until
// sampleSize of them were gathered, and sampleLag batches more. So the first ones of each are in the sample, wherever
// in a recording they stand, and so are all exchanges of a recording of up to sampleLag batches.
//
// The sample must not depend on how many workers there are, nor on how fast they are: what decides about a batch must
// be gathered before any worker has that batch. The lag sees to it. Batch n goes to the workers after it was put into
// the queue, which holds maxWaiting batches. By then the gatherer has taken batch n-maxWaiting out of it, so that it is
// done with batch n-maxWaiting-1 and those before. What it has gathered of later ones does not count.
const (
	sampleSize = 20
	sampleLag  = maxWaiting + 1
)

// engineSample decides which exchanges the second engine judges even if the first one finds no fault in them.
type engineSample struct {
	counts map[sampleKey]int // used by the gatherer alone
	full   sync.Map          // sampleKey → index of the batch in which sampleSize was reached
}

type sampleKey struct {
	op     *specs.Operation
	status int
}

func sampleKeyOf(r *judge.Result) sampleKey {
	key := sampleKey{op: r.Operation()}
	if r.Item.Response != nil {
		key.status = r.Item.Response.Status
	}
	return key
}

// has reports whether an exchange of a batch is in the sample.
func (s *engineSample) has(batch int, r *judge.Result) bool {
	full, isFull := s.full.Load(sampleKeyOf(r))
	return !isFull || full.(int) > batch-sampleLag
}

// take counts an exchange of a batch, which is gathered.
func (s *engineSample) take(batch int, r *judge.Result) {
	if r == nil || r.Operation() == nil {
		return
	}
	key := sampleKeyOf(r)
	if s.counts[key]++; s.counts[key] == sampleSize {
		s.full.Store(key, batch)
	}
}
