package rule

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var attemptResume = history.Rule{
	Doc: report.RuleDoc{
		ID: AttemptResume, Provenance: specs.Client,
		Title: "a session's attempts are unique (409 carries the existing one); a resume keeps the tasks that succeeded",
		Watches: "Requests to start an attempt, and lists of the tasks of a resumed one. Starting the same session again " +
			"without a new name is answered with 409 and the existing attempt; with a new name the index grows. A " +
			"resume with mode failed is refused if the old attempt succeeded as a whole, and keeps its tasks that " +
			"succeeded; mode from needs a name whose end matches exactly one task.",
		Evidence: "A second attempt with the same name in one session; a conflict answered with an attempt of another name " +
			"or session time; an index that does not grow; a resume of an attempt that is known to have succeeded, or from " +
			"a name that matches none or several of its tasks; a task that succeeded in the old attempt but not in the " +
			"new one.",
		Inconclusive: "It is not known how the old attempt ended or which tasks it had; two attempts with the same name at " +
			"the same time; a resume that was refused for a reason that the recording does not show.",
		Passes: "Attempts of different sessions or names; a conflict whose earlier attempt is not in the recording; a list " +
			"of tasks of an attempt that was still running and may get more.",
	},
	Check: checkAttemptResume,
}

func checkAttemptResume(st *history.Step) {
	switch {
	case st.Operation == "workflow.startAttempt" && !st.Unknown():
		checkRepeatedStart(st)
		checkResumedAttempt(st)
		checkResumedTask(st)
	case st.Operation == "workflow.listAttemptTasks" && st.OK() && st.Listed:
		checkKeptTasks(st)
	}
}

// checkRepeatedStart looks at what identifies the attempt of an answer.
func checkRepeatedStart(st *history.Step) {
	if st.Starting == nil || len(st.Attempts) != 1 {
		return
	}
	a := st.Attempts[0]
	switch st.Status {
	case http.StatusConflict:
		checkRetryName(st, a)
	case http.StatusOK:
		checkUniqueAttempt(st, a)
		checkAttemptIndex(st, a)
	}
}

// checkRetryName judges whether a conflict is answered with the attempt that has the name and the session time.
func checkRetryName(st *history.Step, a facts.Attempt) {
	r := history.Ruling{Rule: AttemptResume, Aspect: "conflict", Provenance: specs.Public}
	asked, err1 := time.Parse(time.RFC3339, st.Starting.SessionTime)
	got, err2 := time.Parse(time.RFC3339, a.SessionTime)
	switch {
	case a.Retry != st.Starting.Retry:
		r.Message = fmt.Sprintf("the conflict response has an attempt with another name, %s", a.ID)
		st.Judge(r, report.Fail)
	case err1 == nil && err2 == nil && !asked.Equal(got):
		r.Message = fmt.Sprintf("the conflict response has an attempt with another session time, %s", a.ID)
		st.Judge(r, report.Fail)
	default:
		st.Judge(r, report.Pass)
	}
}

// checkUniqueAttempt judges whether a session has one attempt of each name.
func checkUniqueAttempt(st *history.Step, a facts.Attempt) {
	r := history.Ruling{Rule: AttemptResume, Aspect: "unique", Provenance: specs.Public}
	earlier, ok := st.State.Names.Get(history.AttemptName{Session: a.SessionID, Retry: a.Retry})
	ok = ok && !earlier.Fact.IsOfAnother(a)
	if ok && !st.Known(earlier.First) {
		r.Message = fmt.Sprintf("session %s got two attempts named %q at the same time, %s and %s",
			a.SessionID, a.Retry, earlier.Fact.ID, a.ID)
		st.Judge(r, report.Inconclusive, earlier.First)
		return
	}
	if ok {
		r.Message = fmt.Sprintf("session %s got a second attempt named %q, %s after %s",
			a.SessionID, a.Retry, a.ID, earlier.Fact.ID)
		if earlier.Fact.ID == a.ID {
			r.Message = fmt.Sprintf("attempt %s existed already and was answered with 200 instead of 409", a.ID)
		}
		st.Judge(r, report.Fail, earlier.First)
		return
	}
	if _, ok := st.State.Sessions.Get(a.SessionID); ok {
		st.Judge(r, report.Pass)
	}
}

// checkAttemptIndex judges whether the index of a new attempt is above those of its session.
func checkAttemptIndex(st *history.Step, a facts.Attempt) {
	top, ok := st.State.Sessions.Get(a.SessionID)
	if !ok || !st.Known(top.First) || top.Fact.ID == a.ID || top.Fact.IsOfAnother(a) {
		return
	}
	r := history.Ruling{Rule: AttemptResume, Aspect: "index", Provenance: specs.Client}
	if a.Index > top.Fact.Index {
		st.Judge(r, report.Pass)
		return
	}
	r.Message = fmt.Sprintf("the new attempt %s of session %s has index %d, although index %d exists",
		a.ID, a.SessionID, a.Index, top.Fact.Index)
	st.Judge(r, report.Fail, top.First)
}

// checkResumedAttempt judges whether only an attempt that failed is resumed: of one that succeeded nothing is left.
func checkResumedAttempt(st *history.Step) {
	if st.Starting == nil || st.Starting.Mode != "failed" || !st.OK() && st.Status != http.StatusBadRequest {
		return
	}
	r := history.Ruling{Rule: AttemptResume, Aspect: "failed", Provenance: specs.Client}
	old, ok := st.State.Attempts.Get(st.Starting.AttemptID)
	switch {
	case !ok || !old.Fact.Done || !st.Known(old.Proof):
		r.Message = fmt.Sprintf("it is not known how attempt %s ended", st.Starting.AttemptID)
		st.Judge(r, report.Inconclusive)
	case (old.Fact.Status == "success") != st.OK():
		st.Judge(r, report.Pass)
	case st.OK():
		r.Provenance = specs.Documented // an attempt is rerun after a failure
		r.Message = fmt.Sprintf("attempt %s was resumed although it succeeded", st.Starting.AttemptID)
		st.Judge(r, report.Fail, old.Proof)
	default: // refused for some other reason, such as a full pool
		r.Message = fmt.Sprintf("resuming attempt %s was refused; the recording does not show why", st.Starting.AttemptID)
		st.Judge(r, report.Inconclusive, old.Proof)
	}
}

// checkResumedTask judges whether the name of the task to resume from fits exactly one task.
func checkResumedTask(st *history.Step) {
	if st.Starting == nil || st.Starting.Mode != "from" || !st.OK() && st.Status != http.StatusBadRequest {
		return
	}
	r := history.Ruling{Rule: AttemptResume, Aspect: "from", Provenance: specs.Client}
	listed, ok := st.State.Tasks.Get(st.Starting.AttemptID)
	if !ok || !st.Known(listed.Proof) {
		r.Message = fmt.Sprintf("the tasks of attempt %s are not known", st.Starting.AttemptID)
		st.Judge(r, report.Inconclusive)
		return
	}
	n := 0
	for _, task := range listed.Tasks {
		if strings.HasSuffix(task.FullName, st.Starting.From) {
			n++
		}
	}
	switch {
	case n == 1 && st.OK(), n != 1 && !st.OK():
		st.Judge(r, report.Pass)
	case n > 1 && st.OK(), n == 0 && st.OK() && listed.Done != nil:
		r.Message = fmt.Sprintf("attempt %s was resumed from %q, which matches %d of its tasks",
			st.Starting.AttemptID, st.Starting.From, n)
		st.Judge(r, report.Fail, listed.Done, listed.Proof)
	default:
		r.Message = fmt.Sprintf("it is not known whether %q matches one task of attempt %s",
			st.Starting.From, st.Starting.AttemptID)
		st.Judge(r, report.Inconclusive, listed.Proof)
	}
}

// checkKeptTasks judges whether tasks that succeeded in the old attempt are successes of the new one from the start.
func checkKeptTasks(st *history.Step) {
	resume, ok := st.State.Resumes.Get(st.ID)
	if !ok || !st.Known(resume) {
		return
	}
	oldID, _ := st.State.Resumed.Get(st.ID)
	r := history.Ruling{Rule: AttemptResume, Aspect: "taken over", Provenance: specs.Client}
	old, ok := st.State.Tasks.Get(oldID)
	if !ok || old.Done == nil || !facts.Before(old.Proof, resume) {
		r.Message = fmt.Sprintf("the tasks of attempt %s, which attempt %s resumes, are not known", oldID, st.ID)
		st.Judge(r, report.Inconclusive, resume)
		return
	}
	states := map[string]string{}
	for _, task := range st.Tasks {
		states[task.FullName] = task.State
	}
	for _, task := range old.Tasks {
		state, there := states[task.FullName]
		if task.State == "success" && there && state != "success" {
			r.Message = fmt.Sprintf("task %s succeeded in attempt %s and is %s in attempt %s, which resumes it",
				task.FullName, oldID, state, st.ID)
			st.Judge(r, report.Fail, old.Done, old.Proof, resume)
			return
		}
	}
	st.Judge(r, report.Pass)
}
