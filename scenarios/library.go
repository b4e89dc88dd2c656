package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Library knows scenarios and casts by name: those that come with the mock server, and those in a folder of a user's
// own. The zero value has only the former.
type Library struct {
	folder    string
	scenarios []string // in the folder
	casts     []string // likewise
}

// validName matches the names that folders in a library may have, since clients send them.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// OpenLibrary looks into a folder for scenarios and casts: each folder in it with a scenario.yaml is a scenario, and
// each other one with YAML or JSON files is a cast. Files beside them, and names that begin with a dot, do not count. A
// name that comes with the mock server is an error, so that it always means the same.
func OpenLibrary(folder string) (Library, error) {
	l := Library{folder: folder}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return l, fmt.Errorf("read the folder of scenarios: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		at := filepath.Join(folder, entry.Name())
		if info, err := os.Stat(at); strings.HasPrefix(entry.Name(), ".") || err != nil || !info.IsDir() {
			continue
		}
		kind, err := kindOf(at)
		switch name := entry.Name(); {
		case err != nil || kind == "":
			errs = append(errs, err)
		case !validName.MatchString(name):
			errs = append(errs, fmt.Errorf("%s: want a name of letters, digits, - and _, at most 64 of them", at))
		case kind == "scenario" && slices.Contains(List(), name), kind == "cast" && slices.Contains(fixtures.List(), name):
			errs = append(errs, fmt.Errorf("%s: a %s that comes with the mock has this name: want another one", at, kind))
		case kind == "scenario":
			l.scenarios = append(l.scenarios, name)
		default:
			l.casts = append(l.casts, name)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return l, err
	}
	if len(l.scenarios)+len(l.casts) == 0 {
		return l, fmt.Errorf("%s has no scenarios: want a folder in it that has a %s, or a cast", folder, scenarioFile)
	}
	return l, nil
}

// kindOf returns whether a folder is a scenario or a cast, or the empty text if it is neither.
func kindOf(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", fmt.Errorf("read the folder of scenarios: %w", err)
	}
	kind := ""
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".yaml", ".yml", ".json":
			kind = "cast"
		}
		if entry.Name() == scenarioFile {
			return "scenario", nil
		}
	}
	return kind, nil
}

// List names all scenarios, sorted.
func (l Library) List() []string {
	all := slices.Concat(List(), l.scenarios)
	slices.Sort(all)
	return all
}

// Own names the scenarios of the folder, sorted.
func (l Library) Own() []string { return slices.Clone(l.scenarios) }

// Load returns the scenario of a name, or a user's own by its path, as the function Load does.
func (l Library) Load(name string) (Scenario, error) { return l.LoadBranded(name, specs.Neutral) }

// LoadBranded loads a scenario as Load does, for a brand: a scenario that comes with the mock server carries it, and a
// user's own may use its words or the neutral ones.
func (l Library) LoadBranded(name string, brand specs.Brand) (Scenario, error) {
	if slices.Contains(List(), name) {
		return embeddedScenario(name, brand)
	}
	if slices.Contains(l.scenarios, name) {
		return l.loadFolder(filepath.Join(l.folder, name), brand)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `/\.`):
		return Scenario{}, fmt.Errorf("unknown scenario %q; want %s, or the path of a file or folder",
			name, source.OneOf(name, l.List()))
	case err != nil:
		return Scenario{}, fmt.Errorf("load scenario: %w", err)
	case info.IsDir():
		return l.loadFolder(name, brand)
	}
	return l.loadFile(name, brand)
}

// cast reads the cast of a name.
func (l Library) cast(name string, brand specs.Brand) ([]*fixtures.Part, error) {
	if slices.Contains(l.casts, name) {
		return fixtures.CastFile(filepath.Join(l.folder, name), brand)
	}
	if all := slices.Concat(fixtures.List(), l.casts); !slices.Contains(all, name) {
		slices.Sort(all)
		return nil, fmt.Errorf("unknown cast %q; want %s", name, source.OneOf(name, all))
	}
	return fixtures.Set(name, brand)
}

// loadFolder reads the story also of a scenario that is wrong.
func (l Library) loadFolder(folder string, brand specs.Brand) (Scenario, error) {
	s, err := l.loadFile(filepath.Join(folder, scenarioFile), brand)
	s.Name, s.StoryFile = filepath.Base(folder), filepath.Join(folder, storyFile)
	text, storyErr := source.ReadFile(s.StoryFile)
	if storyErr != nil && !errors.Is(storyErr, fs.ErrNotExist) {
		return s, errors.Join(err, fmt.Errorf("load story: %w", storyErr))
	}
	s.Story = text
	return s, err
}

func (l Library) loadFile(name string, brand specs.Brand) (Scenario, error) {
	s, err := sourceFile{
		file: name, brand: brand, beside: fixtures.DirFS(filepath.Dir(name)), check: checkScenario, open: source.ReadFile,
		cast: l.cast,
	}.read()
	s.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	return s, err
}
