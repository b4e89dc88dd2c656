package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/manual"
)

// addLookups adds the tools that say what there is.
func (m *agentMock) addLookups(s *mcp.Server) {
	addTool(s, "list_operations", "List the operations that the mock serves: name, method, path, summary.", true,
		func(ctx context.Context, in struct {
			Interface string `json:"interface,omitempty" jsonschema:"only those of this interface, such as workflow"`
			Contains  string `json:"contains,omitempty" jsonschema:"only those whose line has this text, in any case"`
		},
		) (string, error) {
			return m.listOperations(ctx, in.Interface, in.Contains)
		})
	addTool(s, "show_operation", "Show one operation in full: parameters, bodies, answers, and a curl command that works.",
		true, func(ctx context.Context, in struct {
			Operation string `json:"operation" jsonschema:"its name, such as workflow.deletePool"`
		},
		) (string, error) {
			return m.withDocuments(ctx, func(d servedDocuments) (string, error) {
				return m.show(ctx, d, in.Operation, "--url", m.url)
			})
		})
	addTool(s, "list_scenarios", "List the scenarios that a world can begin with.", true,
		func(ctx context.Context, _ struct{}) (string, error) {
			return m.indented(ctx, http.MethodGet, "/scenarios", nil)
		})
	addTool(s, "explain_rule", "Explain a rule that check reports: what must hold, what is evidence, what is not.", true,
		func(ctx context.Context, in struct {
			Rule string `json:"rule" jsonschema:"its name, such as pool-deletion"`
		},
		) (string, error) {
			return m.command(ctx, "rules", "show", in.Rule)
		})
	addTool(s, "check", "Check recorded exchanges against the documents and the rules: the journal of a world, or files.",
		true, func(ctx context.Context, in struct {
			World string   `json:"world,omitempty" jsonschema:"whose journal to check (default: default)"`
			Files []string `json:"files,omitempty" jsonschema:"recordings to check in place of a journal"`
		},
		) (string, error) {
			return m.check(ctx, in.World, in.Files)
		})
}

// show describes an operation in full.
func (m *agentMock) show(ctx context.Context, d servedDocuments, operation string, more ...string) (string, error) {
	args := []string{"operations", "show", operation, "--brand", string(m.brand)}
	return m.command(ctx, slices.Concat(args, d.flags, more)...)
}

func (m *agentMock) listOperations(ctx context.Context, iface, contains string) (string, error) {
	text, err := m.withDocuments(ctx, func(d servedDocuments) (string, error) {
		args := append([]string{"operations", "--interfaces", strings.Join(d.names, ",")}, d.flags...)
		if iface != "" {
			args = append(args, "--interface", iface)
		}
		return m.command(ctx, args...)
	})
	if err != nil || contains == "" {
		return text, err
	}
	lines := slices.Collect(strings.Lines(text))
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return !strings.Contains(strings.ToLower(line), strings.ToLower(contains))
	})
	if len(lines) == 0 {
		return "", fmt.Errorf("no operation has %q in its line; leave contains out for all of them", contains)
	}
	return strings.Join(lines, ""), nil
}

func (m *agentMock) check(ctx context.Context, world string, files []string) (string, error) {
	for _, file := range files {
		if !filepath.IsLocal(file) {
			return "", fmt.Errorf("%s: want a path in the folder in which the agent works", file)
		}
	}
	return m.withDocuments(ctx, func(d servedDocuments) (string, error) {
		if len(files) == 0 {
			journal, err := m.control(ctx, http.MethodGet, worldPath(world)+"/journal.ndjson", nil)
			if err != nil {
				return "", err
			}
			if len(journal) == 0 {
				return "", errors.New("the world has served no request yet: see send_request")
			}
			files = []string{filepath.Join(d.folder, "journal.ndjson")}
			if err := os.WriteFile(files[0], journal, 0o600); err != nil {
				return "", err
			}
		}
		args := slices.Concat([]string{"check", "--brand", string(m.brand)}, d.flags, []string{"--"}, files)
		return m.command(ctx, args...)
	})
}

// worldPath returns the path of a world in the control interface.
func worldPath(id string) string { return "/worlds/" + url.PathEscape(cmp.Or(id, "default")) }

// indented asks the control interface, and returns its answer as people read it.
func (m *agentMock) indented(ctx context.Context, method, path string, order any) (string, error) {
	text, err := m.control(ctx, method, path, order)
	if err != nil {
		return "", err
	}
	if len(text) == 0 {
		return "done", nil
	}
	return indentedJSON(text), nil
}

// indentedJSON returns JSON as people read it, with its numbers and the order of its members as they are.
func indentedJSON(text []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", " ") != nil {
		return string(text)
	}
	return b.String()
}

// addWorlds adds the tools for worlds, their clocks and their faults.
func (m *agentMock) addWorlds(s *mcp.Server) {
	type named struct {
		World string `json:"world" jsonschema:"id of the world"`
	}
	addTool(s, "list_worlds", "List the worlds that the mock has.", true,
		func(ctx context.Context, _ struct{}) (string, error) {
			return m.indented(ctx, http.MethodGet, "/worlds", nil)
		})
	addTool(s, "make_world", "Make a world: an account of its own, of a scenario, or as a copy of another world.", false,
		func(ctx context.Context, in struct {
			ID       string  `json:"id,omitempty" jsonschema:"its id (default: one is made)"`
			Scenario string  `json:"scenario,omitempty" jsonschema:"what it begins with; see list_scenarios"`
			Fork     string  `json:"fork,omitempty" jsonschema:"id of the world to copy, in place of a scenario"`
			Before   int64   `json:"before,omitempty" jsonschema:"with fork: as it was before the exchange of this number"`
			Seed     *uint64 `json:"seed,omitempty" jsonschema:"of everything random: the same seed gives the same ids"`
			Clock    string  `json:"clock,omitempty" jsonschema:"real, frozen (moves by move_clock), or auto (polling moves it)"`
			MintKeys bool    `json:"mintKeys,omitempty" jsonschema:"make API keys that lead to this world without a header"`
		},
		) (string, error) {
			return m.indented(ctx, http.MethodPost, "/worlds", in)
		})
	addTool(s, "reset_world", "Put a world back to where it began, with an empty journal.", false,
		func(ctx context.Context, in named) (string, error) {
			return m.indented(ctx, http.MethodPost, worldPath(in.World)+"/reset", nil)
		})
	addTool(s, "delete_world", "Delete a world.", false, func(ctx context.Context, in named) (string, error) {
		return m.indented(ctx, http.MethodDelete, worldPath(in.World), nil)
	})
	addTool(s, "move_clock", "Move the clock of a world; what becomes due is settled. "+
		"Give one of advance, untilIdle and mode.", false, func(ctx context.Context, in struct {
		World     string `json:"world" jsonschema:"id of the world"`
		Advance   string `json:"advance,omitempty" jsonschema:"by how much, such as 90s or 1h30m"`
		UntilIdle bool   `json:"untilIdle,omitempty" jsonschema:"until nothing is under way any more"`
		Mode      string `json:"mode,omitempty" jsonschema:"what moves it from now on: real, frozen or auto"`
		Now       string `json:"now,omitempty" jsonschema:"with mode: the time to set it to, as in 2026-05-04T03:00:00Z"`
	},
	) (string, error) {
		order := map[string]any{"advance": in.Advance, "untilIdle": in.UntilIdle, "mode": in.Mode, "now": in.Now}
		for name, value := range order {
			if value == "" || value == false {
				delete(order, name)
			}
		}
		return m.indented(ctx, http.MethodPost, worldPath(in.World)+"/clock", order)
	})
	addTool(s, "plan_fault", "Plan a failure, such as 'core.issueJob nth=3 status=503 retry-after=2s'. Calls are counted "+
		"from now on. Others: network=reset, delay=2s, effect=once, probability=0.1.", false,
		func(ctx context.Context, in struct {
			World string `json:"world" jsonschema:"id of the world"`
			Fault string `json:"fault" jsonschema:"an operation, or * for all; which calls; and what happens to them"`
		},
		) (string, error) {
			fault, err := fixtures.ParseFault(in.Fault)
			if err != nil {
				return "", err
			}
			return m.indented(ctx, http.MethodPost, worldPath(in.World)+"/faults", fault)
		})
	addTool(s, "clear_faults", "Remove all faults of a world.", false,
		func(ctx context.Context, in named) (string, error) {
			return m.indented(ctx, http.MethodDelete, worldPath(in.World)+"/faults", nil)
		})
}

// agentRequest is a request that an agent wants to be sent.
type agentRequest struct {
	World   string            `json:"world,omitempty" jsonschema:"id of the world to ask (default: default)"`
	Method  string            `json:"method" jsonschema:"such as GET"`
	Path    string            `json:"path" jsonschema:"path and query at the mock, such as /workflow/api/pools?limit=2"`
	Headers map[string]string `json:"headers,omitempty" jsonschema:"besides Content-Type of a body, and the key"`
	Body    any               `json:"body,omitempty" jsonschema:"JSON; a text is sent as it is"`
	Key     string            `json:"key,omitempty" jsonschema:"API key of a platform's interface (default: 1/admin)"`
}

// addRequests adds the tools that send requests and show what became of them.
func (m *agentMock) addRequests(s *mcp.Server) {
	addTool(s, "send_request", "Send a request to an interface of the mock, and show the answer.", false, m.sendRequest)
	addTool(s, "read_journal", "List what a world was asked and answered, newest first.", true,
		func(ctx context.Context, in struct {
			World     string `json:"world,omitempty" jsonschema:"id of the world (default: default)"`
			Operation string `json:"operation,omitempty" jsonschema:"only calls of this operation"`
			Status    string `json:"status,omitempty" jsonschema:"only answers with this status, such as 404 or 4xx"`
			Limit     int    `json:"limit,omitempty" jsonschema:"how many at most (default: 20)"`
		},
		) (string, error) {
			query := url.Values{"order": {"desc"}, "limit": {strconv.Itoa(cmp.Or(in.Limit, 20))}}
			for name, value := range map[string]string{"operation": in.Operation, "status": in.Status} {
				if value != "" {
					query.Set(name, value)
				}
			}
			return m.indented(ctx, http.MethodGet, worldPath(in.World)+"/journal/rows?"+query.Encode(), nil)
		})
	addTool(s, "explain_exchange", "Show an exchange in full, and why it was answered so.", true,
		func(ctx context.Context, in struct {
			World    string `json:"world,omitempty" jsonschema:"id of the world (default: default)"`
			Exchange int64  `json:"exchange" jsonschema:"its number, as send_request and read_journal show it"`
		},
		) (string, error) {
			return m.explain(ctx, in.World, in.Exchange)
		})
}

func (m *agentMock) sendRequest(ctx context.Context, in agentRequest) (string, error) {
	if !strings.HasPrefix(in.Path, "/") {
		return "", fmt.Errorf("path %q: want a path at the mock, such as /workflow/api/pools, without its address", in.Path)
	}
	header := http.Header{}
	var body []byte
	switch value := in.Body.(type) {
	case nil:
	case string:
		body = []byte(value)
	default:
		var err error
		if body, err = json.Marshal(value); err != nil {
			return "", err
		}
	}
	if in.Body != nil {
		header.Set("Content-Type", "application/json")
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(in.Path, "/"), "/")
	if slices.Contains(specs.InterfaceNames(), name) {
		header.Set("Authorization", m.brand.Scheme()+" "+cmp.Or(in.Key, firstKey))
	}
	if in.World != "" {
		header.Set("X-Understudy-World", in.World)
	}
	for name, value := range in.Headers {
		header.Set(name, value)
	}
	answer, err := m.send(ctx, strings.ToUpper(in.Method), in.Path, header, body)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", answer.status)
	if err := answer.header.WriteSubset(&b, map[string]bool{"Date": true, "Content-Length": true}); err != nil {
		return "", err
	}
	b.WriteString("\n" + string(answer.body))
	return b.String(), nil
}

// explain returns an exchange with what its document says of the answer, and what the checker finds in it.
func (m *agentMock) explain(ctx context.Context, world string, exchange int64) (string, error) {
	text, err := m.control(ctx, http.MethodGet, worldPath(world)+"/journal/"+strconv.FormatInt(exchange, 10), nil)
	if err != nil {
		return "", err
	}
	var entry struct {
		Operation string
		Response  struct{ Status int }
	}
	if err := json.Unmarshal(text, &entry); err != nil {
		return "", err
	}
	why := "No operation has this method and path: list_operations shows those that there are."
	switch name := entry.Operation; {
	case name != "" && entry.Response.Status == 0:
		why = "A fault left it without an answer."
	case name != "":
		if why, err = m.documented(ctx, name, entry.Response.Status); err != nil {
			return "", err
		}
	}
	return indentedJSON(text) + "\n\n" + why, nil
}

// documented says what the document of an operation has on a status.
func (m *agentMock) documented(ctx context.Context, operation string, status int) (string, error) {
	text, err := m.withDocuments(ctx, func(d servedDocuments) (string, error) {
		return m.show(ctx, d, operation, "--format", "json")
	})
	if err != nil {
		return "", err
	}
	var page manual.Operation
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		return "", err
	}
	code := strconv.Itoa(status)
	for _, wanted := range []string{code, code[:1] + "XX", "default"} {
		for _, response := range page.Responses {
			if response.Status == wanted {
				return fmt.Sprintf("The document of %s says of %s: %s show_operation shows the rest.", operation, wanted,
					response.Description), nil
			}
		}
	}
	return fmt.Sprintf("The document of %s does not have the status %d. show_operation shows those that it has.",
		operation, status), nil
}
