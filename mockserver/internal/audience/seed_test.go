package audience_test

import (
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

func TestSeed(t *testing.T) {
	t.Parallel()
	t.Run("makes segments and activations as they would be asked for", func(t *testing.T) {
		t.Parallel()
		c := load(mocktest.New(t, "audience"), sixPeople+`
  - {audience: People, name: Refers, rule: {type: Or, conditions: [{type: Reference, id: '70'}]}, countPopulation: true,
     createdAt: now-2d, user: kiosk, updatedBy: owner@shop.example, updatedAt: now-1d}
  activations:
  - {segment: From Lima, connection: lake, request: {name: Out, connectorConfig: {}}, createdAt: now-1h, user: analyst@shop.example}
  - {id: 9, segment: Refers, connection: lake, request: {name: Again, connectorConfig: {}}}
`)
		c.Get(segments).Want(200).Wants("#.id", "[70,71,81]", "2.population", "2", "2.createdAt", "2026-01-13T09:30:00Z",
			"2.updatedAt", "2026-01-14T09:30:00Z", "2.createdBy.name", "kiosk", "2.updatedBy.name", "Otto Owner",
			"0.numSyndications", "1", "2.numSyndications", "1", "0.referencedBy.0.id", "81")
		c.Post(activations, plain).Want(200).Wants("id", "11")
	})
	t.Run("names what cannot be made", func(t *testing.T) {
		t.Parallel()
		for _, test := range []struct{ more, want string }{
			{`segments: [{audience: People, name: a, kind: 2}]`, "segment a: funnel_stage: is required for kind 2"},
			{`segments: [{audience: People, name: a, rule: {type: And, conditions: [{type: Reference, id: '7'}]}}, {id: 7, audience: People, name: b}]`, `segment a: rule.conditions.0.id: segment "7" not found in audience 61`},
			{`segments: [{audience: People, name: a, createdAt: now+1d}]`, "segment a: 2026-01-16T09:30:00Z is in the future"},
			{`segments: [{audience: People, name: a, updatedAt: now+1d}]`, "segment a: 2026-01-16T09:30:00Z is in the future"},
			{"segments: [{audience: People, name: a, kind: 2}]\n  activations: [{segment: a, connection: lake, request: " +
				"{name: a}}]", "activation 1 of a: its segment was not created"},
			{"segments: [{audience: People, name: a}]\n  activations: [{segment: a, connection: lake, request: {name: a}, " +
				"createdAt: now+1d}]", "activation 1 of a: 2026-01-16T09:30:00Z is in the future"},
			{`segments: [{audience: People, name: a, updatedAt: now-1d}]`, "segment a: updatedAt is before createdAt"},
			{`segments: [{audience: Nowhere, name: a}]`, `unknown audience "Nowhere"; want one of People, Nobody`},
			{`segments: [{audience: People, name: a, user: nobody}]`, `unknown user "nobody"`},
			{`segments: [{audience: People, name: a, population: 5, countPopulation: true}]`, "the population is given twice"},
			{`segments: [{id: 7, audience: People, name: a}, {id: 7, audience: People, name: b}]`, "7 is given twice"},
			{`segments: [{audience: People, name: a, rule: {type: Not, conditions: []}}]`, "rule"},
			{`activations: [{segment: Nobody, connection: lake, request: {name: a}}]`, `unknown segment "Nobody"`},
			{
				"segments: [{audience: People, name: a}]\n  activations: [{segment: a, connection: sea, request: {name: a}}]",
				`unknown connection "sea"; want lake`,
			},
			{
				"segments: [{audience: People, name: a}]\n  activations: [{segment: a, connection: lake, request: {name: a}}]",
				"activation 1 of a: connectorConfig: is missing",
			},
			{
				"segments: [{audience: People, name: a}]\n  activations: [{segment: a, connection: lake, request: {title: a}}]",
				"name",
			},
		} {
			head, _, _ := strings.Cut(sixPeople, "  segments:")
			err := mocktest.New(t, "audience").World().Load([]byte(mocktest.People + head + "  " + test.more + "\n"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s\nerror %v, want %q in it", test.more, err, test.want)
			}
		}
	})
	t.Run("wants a table of profiles that lives", func(t *testing.T) {
		t.Parallel()
		for _, test := range []struct{ from, to, want string }{
			{"database: crm, table: people", "database: cms, table: people", `unknown database "cms"; want crm`},
			{
				"database: crm, table: people", "database: crm, table: persons",
				`unknown table "persons"; want one of people, nobody`,
			},
			{"{id: 62,", "{id: 61,", "61 is given twice"},
			{"name: Nobody, database", "name: People, database", "People is given twice"},
		} {
			fixture := strings.Replace(sixPeople, test.from, test.to, 1)
			err := mocktest.New(t, "audience").World().Load([]byte(mocktest.People + fixture))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s\nerror %v, want %q in it", test.to, err, test.want)
			}
		}
	})
}
