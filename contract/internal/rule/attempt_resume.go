package rule

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var attemptResume = watch{
	about: report.RuleDoc{
		ID: AttemptResume, Provenance: specs.Client,
		Title: "a session's attempts are unique (409 carries the existing one); a resume keeps the tasks that succeeded",
		Watches: "Requests to start an attempt, and lists of the tasks of a resumed one. Starting the same session again " +
			"without a new name is answered with 409 and the existing attempt; with a new name the index grows. A " +
			"resume with mode failed is refused if the old attempt succeeded as a whole, and keeps its tasks that " +
			"succeeded; mode from needs a name whose end matches exactly one task.",
		Evidence: "A second attempt with the same name in one session; a conflict answered with an attempt of another name or " +
			"session time; an index that does not grow; a resume of an attempt that is known to have succeeded, or from " +
			"a name that matches none or several of its tasks; a task that succeeded in the old attempt but not in the " +
			"new one.",
		Inconclusive: "It is not known how the old attempt ended or which tasks it had; two attempts with the same name at the " +
			"same time; a resume that was refused for a reason that the recording does not show.",
		Passes: "Attempts of different sessions or names; a conflict whose earlier attempt is not in the recording; a list " +
			"of tasks of an attempt that was still running and may get more.",
	},
	see: seeAttemptResume,
}

func seeAttemptResume(st *step) {
	switch {
	case st.Operation == "workflow.startAttempt" && !st.Unknown():
		st.repeated()
		st.resumedFailed()
		st.resumedFrom()
	case st.Operation == "workflow.listAttemptTasks" && st.OK() && st.Listed:
		st.takenOver()
	}
}

// repeated looks at what identifies the attempt of an answer.
func (st *step) repeated() {
	if st.Starting == nil || len(st.Attempts) != 1 {
		return
	}
	a := st.Attempts[0]
	switch st.Status {
	case http.StatusConflict:
		st.conflicted(a)
	case http.StatusOK:
		st.unique(a)
		st.indexed(a)
	}
}

func (st *step) conflicted(a attemptFact) {
	r := ruling{rule: AttemptResume, aspect: "conflict", provenance: specs.Public}
	asked, err1 := time.Parse(time.RFC3339, st.Starting.SessionTime)
	got, err2 := time.Parse(time.RFC3339, a.SessionTime)
	switch {
	case a.Retry != st.Starting.Retry:
		r.message = fmt.Sprintf("the conflict response has an attempt with another name, %s", a.ID)
		st.judge(r, report.Fail)
	case err1 == nil && err2 == nil && !asked.Equal(got):
		r.message = fmt.Sprintf("the conflict response has an attempt with another session time, %s", a.ID)
		st.judge(r, report.Fail)
	default:
		st.judge(r, report.Pass)
	}
}

// unique: a session has one attempt of each name.
func (st *step) unique(a attemptFact) {
	r := ruling{rule: AttemptResume, aspect: "unique", provenance: specs.Public}
	earlier, ok := st.s.names.get(attemptName{a.SessionID, a.Retry})
	ok = ok && !earlier.fact.isOfAnother(a)
	if ok && !st.known(earlier.first) {
		r.message = fmt.Sprintf("session %s got two attempts named %q at the same time, %s and %s",
			a.SessionID, a.Retry, earlier.fact.ID, a.ID)
		st.judge(r, report.Inconclusive, earlier.first)
		return
	}
	if ok {
		r.message = fmt.Sprintf("session %s got a second attempt named %q, %s after %s",
			a.SessionID, a.Retry, a.ID, earlier.fact.ID)
		if earlier.fact.ID == a.ID {
			r.message = fmt.Sprintf("attempt %s existed already and was answered with 200 instead of 409", a.ID)
		}
		st.judge(r, report.Fail, earlier.first)
		return
	}
	if _, ok := st.s.sessions.get(a.SessionID); ok {
		st.judge(r, report.Pass)
	}
}

// isOfAnother reports whether two attempts are of different sessions, whose ids are the same in different accounts.
func (f attemptFact) isOfAnother(other attemptFact) bool {
	return f.SessionUUID != "" && other.SessionUUID != "" && f.SessionUUID != other.SessionUUID
}

// indexed: the index of a new attempt is above those of its session.
func (st *step) indexed(a attemptFact) {
	top, ok := st.s.sessions.get(a.SessionID)
	if !ok || !st.known(top.first) || top.fact.ID == a.ID || top.fact.isOfAnother(a) {
		return
	}
	r := ruling{rule: AttemptResume, aspect: "index", provenance: specs.Client}
	if a.Index > top.fact.Index {
		st.judge(r, report.Pass)
		return
	}
	r.message = fmt.Sprintf("the new attempt %s of session %s has index %d, although index %d exists",
		a.ID, a.SessionID, a.Index, top.fact.Index)
	st.judge(r, report.Fail, top.first)
}

// resumedFailed: nothing is left to resume of an attempt that succeeded.
func (st *step) resumedFailed() {
	if st.Starting == nil || st.Starting.Mode != "failed" || !st.OK() && st.Status != http.StatusBadRequest {
		return
	}
	r := ruling{rule: AttemptResume, aspect: "failed", provenance: specs.Client}
	old, ok := st.s.attempts.get(st.Starting.AttemptID)
	switch {
	case !ok || !old.fact.Done || !st.known(old.proof):
		r.message = fmt.Sprintf("it is not known how attempt %s ended", st.Starting.AttemptID)
		st.judge(r, report.Inconclusive)
	case (old.fact.Status == "success") != st.OK():
		st.judge(r, report.Pass)
	case st.OK():
		r.provenance = specs.Documented // an attempt is rerun after a failure
		r.message = fmt.Sprintf("attempt %s was resumed although it succeeded", st.Starting.AttemptID)
		st.judge(r, report.Fail, old.proof)
	default: // refused for some other reason, such as a full pool
		r.message = fmt.Sprintf("resuming attempt %s was refused; the recording does not show why", st.Starting.AttemptID)
		st.judge(r, report.Inconclusive, old.proof)
	}
}

// resumedFrom: the name of the task to resume from must fit one task.
func (st *step) resumedFrom() {
	if st.Starting == nil || st.Starting.Mode != "from" || !st.OK() && st.Status != http.StatusBadRequest {
		return
	}
	r := ruling{rule: AttemptResume, aspect: "from", provenance: specs.Client}
	listed, ok := st.s.tasks.get(st.Starting.AttemptID)
	if !ok || !st.known(listed.proof) {
		r.message = fmt.Sprintf("the tasks of attempt %s are not known", st.Starting.AttemptID)
		st.judge(r, report.Inconclusive)
		return
	}
	n := 0
	for _, task := range listed.tasks {
		if strings.HasSuffix(task.FullName, st.Starting.From) {
			n++
		}
	}
	switch {
	case n == 1 && st.OK(), n != 1 && !st.OK():
		st.judge(r, report.Pass)
	case n > 1 && st.OK(), n == 0 && st.OK() && listed.done != nil:
		r.message = fmt.Sprintf("attempt %s was resumed from %q, which matches %d of its tasks",
			st.Starting.AttemptID, st.Starting.From, n)
		st.judge(r, report.Fail, listed.done, listed.proof)
	default:
		r.message = fmt.Sprintf("it is not known whether %q matches one task of attempt %s",
			st.Starting.From, st.Starting.AttemptID)
		st.judge(r, report.Inconclusive, listed.proof)
	}
}

// takenOver: tasks that succeeded in the old attempt are successes of the new one from the start.
func (st *step) takenOver() {
	resume, ok := st.s.resumes.get(st.ID)
	if !ok || !st.known(resume) {
		return
	}
	oldID, _ := st.s.resumed.get(st.ID)
	r := ruling{rule: AttemptResume, aspect: "taken over", provenance: specs.Client}
	old, ok := st.s.tasks.get(oldID)
	if !ok || old.done == nil || !before(old.proof, resume) {
		r.message = fmt.Sprintf("the tasks of attempt %s, which attempt %s resumes, are not known", oldID, st.ID)
		st.judge(r, report.Inconclusive, resume)
		return
	}
	states := map[string]string{}
	for _, task := range st.Tasks {
		states[task.FullName] = task.State
	}
	for _, task := range old.tasks {
		state, there := states[task.FullName]
		if task.State == "success" && there && state != "success" {
			r.message = fmt.Sprintf("task %s succeeded in attempt %s and is %s in attempt %s, which resumes it",
				task.FullName, oldID, state, st.ID)
			st.judge(r, report.Fail, old.done, old.proof, resume)
			return
		}
	}
	st.judge(r, report.Pass)
}
