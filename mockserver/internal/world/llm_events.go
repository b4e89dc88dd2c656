package world

import (
	"cmp"
	"time"
)

// usualIndexTime is the duration of the indexing of a knowledge base unless the world says otherwise (assumed).
const usualIndexTime = 5 * time.Second

// The statuses of the indexing of a knowledge base, as on the wire. The last two are assumed.
const (
	IndexInProgress = "IN_PROGRESS"
	IndexSuccess    = "SUCCESS"
	IndexError      = "ERROR"
)

// IndexEnd returns the end of a knowledge base's indexing, which every change of it starts anew.
func (x *LLM) IndexEnd(r Resource[KnowledgeBase]) DueEvent {
	at := r.UpdatedAt.Add(cmp.Or(x.IndexTime, usualIndexTime)).UTC().Round(0)
	return DueEvent{At: at, Kind: KnowledgeBaseEvent, ID: r.ID}
}

// Indexing reports whether a knowledge base is being indexed.
func (b KnowledgeBase) Indexing() bool {
	return b.LastJob != nil && b.LastJob.Status == IndexInProgress
}
