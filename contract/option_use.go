package contract

import (
	"fmt"
	"reflect"
	"strings"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/specs"
)

// optionUse is a call that takes options. An option without effect there is an error: otherwise the mistake would go
// unnoticed.
type optionUse struct {
	name    string
	options []string
	without func(c *config) // takes the effect of these options away
}

var (
	checking = optionUse{
		name: "a check", options: []string{"every option but WithShapeDir and WithShapeLabel"},
		without: func(c *config) {
			shapeDir, label := c.shapeDir, c.label
			*c = newConfig()
			c.shapeDir, c.label = shapeDir, label
		},
	}
	matching = optionUse{
		name: "MatchShape and MatchShapes",
		options: []string{
			"WithBaseURL", "WithBrand", "WithExtras", "WithOverlay", "WithRewrite", "WithShapeDir", "WithShapeLabel", "WithSpec",
		},
		without: func(c *config) { c.withoutDocuments(); c.shapeDir, c.label = "", "" },
	}
	listing = optionUse{
		name: "Shapes", options: []string{"WithBaseURL", "WithBrand", "WithExtras", "WithOverlay", "WithRewrite", "WithSpec"},
		without: (*config).withoutDocuments,
	}
	recordingTraffic = optionUse{
		name: "NewRecorder", options: []string{"WithBrand", "WithSpec"},
		without: func(c *config) { c.brand, c.specs = "", newConfig().specs },
	}
)

func newConfig() config {
	return config{
		effort: DefaultEffort,
		trust:  specs.Public, bases: map[specs.Interface][]string{}, accounts: map[uint64]string{},
		specs:      map[specs.Interface]string{},
		overlays:   specs.Overlays{},
		comparison: comparisonConfig{masks: compare.DefaultMasks(), tolerance: DefaultTolerance},
	}
}

// withoutDocuments takes away what says which documents there are, and where the interfaces are.
func (c *config) withoutDocuments() {
	plain := newConfig()
	c.bases, c.specs, c.overlays, c.brand, c.noExtras, c.rewrites = plain.bases, plain.specs, plain.overlays, plain.brand,
		plain.noExtras, plain.rewrites
}

// check returns an error if an option was given that has no effect.
func (u optionUse) check(c config) error {
	if u.without(&c); reflect.DeepEqual(c, newConfig()) {
		return nil
	}
	return fmt.Errorf("an option has no effect here: %s takes %s", u.name, strings.Join(u.options, ", "))
}
