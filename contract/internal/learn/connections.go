package learn

import "github.com/tidwall/gjson"

func (l *learner) connections() *sequence {
	s := newSequence()
	for _, t := range l.things.of(connectionKind) {
		m := newMapping()
		m.set("id", l.connectionID(t.id))
		m.set("name", t.id)
		switch address := t.first().Get("url").String(); {
		case address == "":
			m.guess("url", "https://"+word(t.id)+".example/", unseen)
		case isRedacted(address):
			m.guess("url", "https://"+word(t.id)+".example/", "it is a secret")
		default:
			m.set("url", address)
		}
		s.add(m)
	}
	return s
}

// restrictions returns what connectors may do, as answers show it.
func (l *learner) restrictions() *mapping {
	for _, body := range l.successes("core.getDataConnectorRestrictions") {
		if len(body.Map()) > 0 {
			return &mapping{jsonNode(body)}
		}
	}
	return nil
}

func (l *learner) jobSchedules() *sequence {
	s := newSequence()
	for _, t := range l.things.of(jobScheduleKind) {
		o := t.first()
		if !o.Exists() {
			continue
		}
		m := newMapping()
		m.set("id", idOf(o.Get("id").String()))
		m.set("name", t.id)
		for _, pair := range [][2]string{
			{"cron", "cron"},
			{"timezone", "timezone"},
			{"delay", "delay"},
			{"database", "database"},
			{"type", "type"},
			{"query", "query"},
			{"priority", "priority"},
			{"retryLimit", "retry_limit"},
			{"engineVersion", "engine_version"},
		} {
			value, isChanged := t.value(pair[1])
			if value.Raw == "0" || value.String() == "" {
				continue
			}
			if isChanged {
				m.guess(pair[0], value, "it was set before an answer showed it")
				continue
			}
			m.set(pair[0], value)
		}
		m.set("target", target(o.Get("result")))
		m.set("user", l.people.referByName(o.Get("user_name").String()))
		m.set("createdAt", timeOf(o.Get("created_at")))
		s.add(m)
	}
	l.addUnseenSchedules(s)
	return s
}

// target returns the target of a result without what is secret in it.
func target(v gjson.Result) string {
	if isRedacted(v.String()) {
		return ""
	}
	return clean(v.String())
}
