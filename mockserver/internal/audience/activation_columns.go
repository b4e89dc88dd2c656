package audience

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
)

// activationColumn is an ActivationColumn.
type activationColumn struct {
	ID     *string      `json:"id,omitzero"`
	Column string       `json:"column"`
	Source columnSource `json:"source"`
}

// columnSource is a template with markers, or a column.
type columnSource struct {
	Text          *string             `json:"string,omitzero"`
	Parameters    []templateParameter `json:"parameters,omitzero"`
	Column        *string             `json:"column,omitzero"`
	CustomerGroup *string             `json:"customerGroup,omitzero"`
	Functions     []jsontext.Value    `json:"functions,omitzero"`
}

type templateParameter struct {
	Type   string  `json:"type"`
	Text   *string `json:"string,omitzero"`
	Format *string `json:"format,omitzero"`
}

// activationBehavior is an ActivationBehavior.
type activationBehavior struct {
	Columns      []activationColumn `json:"columns,omitzero"`
	Table        *string            `json:"behaviorTableName,omitzero"`
	JoinRow      *int64             `json:"joinRow,omitzero"`
	JoinStrategy *string            `json:"joinStrategy,omitzero"`
	Formatting   *string            `json:"formatting,omitzero"`
	OrderBy      []behaviorOrder    `json:"orderBy,omitzero"`
}

type behaviorOrder struct {
	Key   *string `json:"key,omitzero"`
	Order *string `json:"order,omitzero"`
}

// checkColumns looks at all columns that go out. Those of behavior tables are not the profiles'.
func (f activationFields) checkColumns(known columns) error {
	errs := []error{checkColumns("columns", f.Columns, known)}
	if f.Behavior != nil {
		errs = append(errs, checkColumns("syndicationBehavior.columns", f.Behavior.Columns, nil))
	}
	for i, behavior := range f.Behaviors {
		errs = append(errs, checkColumns(fmt.Sprintf("syndicationBehaviors.%d.columns", i), behavior.Columns, nil))
	}
	return errors.Join(errs...)
}

func checkColumns(at string, list []activationColumn, known columns) error {
	var errs []error
	for i, column := range list {
		at := at + "." + strconv.Itoa(i)
		if column.Column == "" {
			errs = append(errs, op.Invalid(at+".column", "is missing: want the name of the target column"))
		}
		errs = append(errs, column.Source.check(at+".source", known))
	}
	return errors.Join(errs...)
}

// check requires one of the two forms, not both (assumed).
func (s columnSource) check(at string, known columns) error {
	switch {
	case s.Text != nil && s.Column != nil:
		return op.Invalid(at, "has both string and column; want one of them")
	case s.Text != nil:
		return s.checkTemplate(at)
	case s.Column == nil:
		return op.Invalid(at, "want a string with its parameters, or a column")
	case s.CustomerGroup != nil: // whose columns the mock does not know
		return nil
	}
	return known.check(at+".column", *s.Column)
}

var marker = regexp.MustCompile(`\$([1-9][0-9]*)`)

// checkTemplate requires a parameter for each marker, a marker for each parameter, and of each parameter what its type
// needs.
func (s columnSource) checkTemplate(at string) error {
	var errs []error
	var used []string
	for _, found := range marker.FindAllStringSubmatch(*s.Text, -1) {
		place, err := strconv.Atoi(found[1])
		if (err != nil || place > len(s.Parameters)) && !slices.Contains(used, found[0]) {
			errs = append(errs, op.Invalid(at+".string", "has the marker %s, but parameters has a length of %d",
				found[0], len(s.Parameters)))
		}
		used = append(used, found[0])
	}
	for i, parameter := range s.Parameters {
		at := fmt.Sprintf("%s.parameters.%d", at, i)
		if name := "$" + strconv.Itoa(i+1); !slices.Contains(used, name) {
			errs = append(errs, op.Invalid(at, "is not used: want its marker %s in the string", name))
		}
		errs = append(errs, parameter.check(at))
	}
	return errors.Join(errs...)
}

func parameterTypes() []string {
	return []string{"String", "Timestamp", "SegmentName", "SegmentId", "AudienceId", "FunnelName", "StageName"}
}

func (p templateParameter) check(at string) error {
	switch {
	case !slices.Contains(parameterTypes(), p.Type):
		return op.Invalid(at+".type", "want one of %s, not %q", strings.Join(parameterTypes(), ", "), p.Type)
	case p.Type == "String" && p.Text == nil:
		return op.Invalid(at+".string", "is missing: want the text of a parameter of type String")
	case p.Type == "Timestamp" && (p.Format == nil || *p.Format == ""):
		return op.Invalid(at+".format", "is missing: want the time format of a parameter of type Timestamp")
	}
	return nil
}
