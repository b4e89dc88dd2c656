package console

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
)

// audiencesPage shows the audiences with their segments. No operation lists audiences: they are in the world's state.
type audiencesPage struct{ Audiences []audience }

type audience struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Database string `json:"database"`
	Table    string `json:"table"`

	Address  string // of the table
	Segments *kindPage
}

func (v *view) audiencesPage() error {
	c, err := v.catalog()
	if err != nil {
		return err
	}
	segments := c.byName["audience.segment"]
	var body audiencesPage
	err = v.visit(func(v *visitor) error {
		audiences, err := v.audiences()
		if err != nil || segments == nil {
			return err
		}
		for _, a := range audiences {
			a.Address = v.In("resources", "core.table", a.Database, a.Table)
			a.Segments = &kindPage{kind: segments, Within: []string{strconv.Itoa(a.ID)}}
			if a.Segments.Objects, a.Segments.IsMore, err = v.list(segments, a.Segments.Within, nil, maxObjects); err != nil {
				return err
			}
			a.Segments.table(v.view, c, url.Values{}, maxTable, v.now)
			body.Audiences = append(body.Audiences, a)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.ok("audiences", "resources", "Audiences", body)
}

// audiences lists the audiences of the fork.
func (v *visitor) audiences() ([]audience, error) {
	var is struct {
		State struct {
			Audience struct{ Audiences map[string]audience } `json:"audience"`
		} `json:"state"`
	}
	if err := v.get("worlds/"+url.PathEscape(v.fork)+"/state", &is); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(is.State.Audience.Audiences), func(a, b audience) int {
		return cmp.Compare(a.ID, b.ID)
	}), nil
}
