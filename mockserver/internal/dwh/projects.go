package dwh

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

const (
	projectPrefix = "dwh_" // of the names of projects (assumed)
	maxWorkflow   = 200    // bytes of a workflow's name, which leaves room in the names of projects and tasks
)

// uploadProject makes what an integration is now the next revision of its project, which is new when it has none yet.
// The project keeps its name for life, as projects do, and so does the workflow in it: its sessions and its schedule go
// by that (assumed).
func uploadProject(c *op.Call, i *world.Warehouse, parts configs, sessions []world.BulkloadSession) error {
	name := bridge.Project(c.World, i.Project).Name
	if i.Project == 0 {
		name = freeProjectName(c.World, i.Name)
	} else if err := requireProject(c.World, *i); err != nil {
		return err
	}
	files, err := parts.files(*i, sessions, workflowOf(name), specs.Brand(c.World.Brand))
	if err != nil {
		return err
	}
	p, err := bridge.Upload(c.World, bridge.Files{
		Project: name, Revision: c.World.UUID("dwh.revision", c.World.NewID("dwh.revision")), Files: files,
		User: c.Caller.User.ID,
	}, c.Now)
	i.Project = p.ID
	return err
}

// freeProjectName returns a name for the project of a new integration.
func freeProjectName(w *world.State, integration string) string {
	var safe strings.Builder
	for _, r := range integration {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' {
			r = '_' // such as what projects and tasks may not have in their names
		}
		if safe.Len() < maxWorkflow {
			safe.WriteRune(r)
		}
	}
	name := projectPrefix + safe.String()
	for n := 2; bridge.HasProject(w, name); n++ {
		name = fmt.Sprintf("%s%s_%d", projectPrefix, safe.String(), n)
	}
	return name
}

// workflowOf returns the name of the workflow in an integration's project.
func workflowOf(project string) string { return strings.TrimPrefix(project, projectPrefix) }

// requireProject returns an error if the project was deleted in the workflow interface. The integration still exists
// then, so that the error is not a 404 (assumed).
func requireProject(w *world.State, i world.Warehouse) error {
	p := bridge.Project(w, i.Project)
	if p.DeletedAt.IsZero() {
		return nil
	}
	return op.Conflict("workflow project %s (id %d) of integration %d was deleted at %s: delete the integration and "+
		"create it again", p.Name, p.ID, i.ID, op.Instant(p.DeletedAt))
}

// files returns the files of the project: the workflow, with a task for each bulk load session, and the configurations
// of the sessions. The tasks run side by side, since no load needs another one (assumed).
func (p configs) files(
	i world.Warehouse, sessions []world.BulkloadSession, workflow string, brand specs.Brand,
) (map[string]string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "# Created by data warehouse integration %d, %s. Updating the integration replaces it.\n", i.ID,
		quoteYAML(i.Name))
	fmt.Fprintf(&text, "timezone: %s\n\n%s_parallel: true\n", quoteYAML(i.Schedule.Timezone),
		scheduleDirective(i.Schedule))
	files := map[string]string{}
	var errs []error
	for n, s := range sessions {
		file := "configs/" + s.Table + ".json"
		fmt.Fprintf(&text, "\n%s:\n  bulkload>: %s\n  session: %d\n", quoteYAML("+"+s.Table), quoteYAML(file), s.ID)
		config, err := p.load(n, brand)
		files[file] = config
		errs = append(errs, err)
	}
	files[workflow+".dig"] = text.String()
	return files, errors.Join(errs...)
}

// quoteYAML returns a text as a YAML string, in the form of JSON.
func quoteYAML(text string) string {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil { // invalid UTF-8
		return strconv.Quote(text)
	}
	return string(quoted)
}

// loadConfig is the configuration of one load, as a file of the project. It has what the document knows, and nothing
// of what clients have sent beside it: that may be secret, while an archive is for all to read.
type loadConfig struct {
	In      map[string]jsontext.Value `json:"in"`
	Filters []filter                  `json:"filters,omitzero"`
	Out     loadOutput                `json:"out"`
}

type loadOutput struct {
	outputConfig
	Table string `json:"table"`
}

// load returns the n-th entry of the advanced configurations over the basic ones.
func (p configs) load(n int, brand specs.Brand) (string, error) {
	entry := p.Advanced[n]
	config := loadConfig{In: map[string]jsontext.Value{}, Filters: p.Filter, Out: loadOutput{p.Output, entry.Table}}
	for _, layer := range []any{p.Basic, entry.Config.withDefaults(p.Basic)} {
		text, err := json.Marshal(layer)
		if err == nil {
			err = json.Unmarshal(text, &config.In)
		}
		if err != nil {
			return "", fmt.Errorf("write the configuration of %s: %w", entry.Table, err)
		}
	}
	if id, ok := config.In[authentication]; ok {
		delete(config.In, authentication)
		config.In[brand.Text(authentication)] = id
	}
	text, err := json.Marshal(config, json.Deterministic(true), jsontext.WithIndent("  "))
	return string(text) + "\n", err
}
