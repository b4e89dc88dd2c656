package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/internal/version"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/manual"
)

func newMCP() *cobra.Command {
	var address, brand string
	own := checkflags.Pairs{What: "FILE"}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Let a coding agent use a mock server that runs",
		Long: `Serve the Model Context Protocol on standard input and output, so that a coding agent can
use a mock server: look up operations with examples, make and fork worlds, send requests,
read why one was refused, plan faults, move clocks, and check what was recorded.

Behind the -- of serve, the mock begins and ends with the agent's session, and its
documents, scenarios and limits are those of serve. Documents are read from the mock;
give one with --spec if it refers to other files. If the mock wants a token,
UNDERSTUDY_CONTROL_TOKEN of the environment has it.

The tools read recordings in the folder in which the command was started, and below.
They write no file, and call no server but the mock.`,
		Example: `  # As the command of a server in the settings of an agent
  understudy serve --listen 127.0.0.1:0 -- understudy mcp
  understudy serve --listen 127.0.0.1:0 --spec shop=openapi.yaml -- understudy mcp

  # For a mock that runs already
  understudy mcp --url http://127.0.0.1:4010`,
		Args: exactArgs(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := newAgentMock(cmp.Or(address, os.Getenv(urlVariable), defaultURL), brand)
			if err != nil {
				return err
			}
			m.own = own.List
			transport := &mcp.IOTransport{Reader: io.NopCloser(c.InOrStdin()), Writer: notClosed{c.OutOrStdout()}}
			return m.server().Run(c.Context(), transport)
		},
	}
	c.Flags().StringVar(&address, "url", "", "the `URL` of the mock (default: the environment variable "+urlVariable+
		", or "+defaultURL+")")
	c.Flags().Var(&own, "spec", "the document of an interface, in place of what the mock serves (repeatable)")
	checkflags.AddBrand(c.Flags(), &brand)
	return c
}

// notClosed is a writer that outlives what is written to it.
type notClosed struct{ io.Writer }

func (notClosed) Close() error { return nil }

// agentMock is the mock that an agent uses, by its control interface and by commands of this program.
type agentMock struct {
	url, token string
	client     *http.Client
	brand      specs.Brand
	own        [][2]string // names and files of documents that are not read from it
}

func newAgentMock(address, word string) (*agentMock, error) {
	brand, err := specs.ParseBrand(word)
	if err = errors.Join(checkAddress("--url", address), err); err != nil {
		return nil, err
	}
	pool, err := trusted()
	if err != nil {
		return nil, err
	}
	return &agentMock{
		url: strings.TrimSuffix(address, "/"), token: os.Getenv(tokenVariable), brand: brand,
		client: &http.Client{ // it asks the mock itself, through no proxy
			Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// maxAgentText is the number of bytes of a text that an agent is shown: about 16,000 tokens.
const maxAgentText = 64 << 10

// shortened returns a text of which the middle is left out if it is too long.
func shortened(text string) string {
	if len(text) <= maxAgentText {
		return text
	}
	half := maxAgentText / 2
	return strings.ToValidUTF8(text[:half], "") + fmt.Sprintf("\n[%d bytes are left out]\n", len(text)-2*half) +
		strings.ToValidUTF8(text[len(text)-half:], "")
}

// agentAnswer is an answer of the mock.
type agentAnswer struct {
	code   int
	status string // with its name
	header http.Header
	body   []byte
}

// send sends a request to the mock.
func (m *agentMock) send(
	ctx context.Context, method, path string, header http.Header, body []byte,
) (*agentAnswer, error) {
	r, err := http.NewRequestWithContext(ctx, method, m.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = header
	response, err := m.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w; want a mock at %s, as understudy serve makes one", err, m.url)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAgentBody+1))
	if len(text) > maxAgentBody {
		err = fmt.Errorf("the answer to %s %s has more than %d MiB", method, path, maxAgentBody>>20)
	}
	return &agentAnswer{response.StatusCode, response.Status, response.Header, text}, err
}

// maxAgentBody is the number of bytes of an answer that are read, such as those of a journal that is checked.
const maxAgentBody = 256 << 20

// control asks the control interface, and returns the body of its answer. What it refuses is an error with its reason.
func (m *agentMock) control(ctx context.Context, method, path string, order any) ([]byte, error) {
	header := http.Header{}
	if m.token != "" {
		header.Set("Authorization", "Bearer "+m.token)
	}
	var body []byte
	if order != nil {
		var err error
		if body, err = json.Marshal(order); err != nil {
			return nil, err
		}
		header.Set("Content-Type", "application/json")
	}
	answer, err := m.send(ctx, method, mockserver.Address(specs.Control)+path, header, body)
	if err != nil {
		return nil, err
	}
	if answer.code/100 == 2 {
		return answer.body, nil
	}
	var refusal struct{ Error struct{ Message string } }
	if json.Unmarshal(answer.body, &refusal) == nil && refusal.Error.Message != "" {
		return nil, errors.New(refusal.Error.Message)
	}
	return nil, fmt.Errorf("%s answers %s, not as understudy serve does", m.url, answer.status)
}

// servedDocuments are the documents that a mock serves, for the commands of one call of a tool.
type servedDocuments struct {
	names  []string // of interfaces
	flags  []string // by which a command reads those that are not the platform's
	folder string   // for files, until the call has ended
}

// withDocuments calls a function with the documents that the mock serves.
func (m *agentMock) withDocuments(ctx context.Context, do func(servedDocuments) (string, error)) (string, error) {
	text, err := m.control(ctx, http.MethodGet, "/version", nil)
	if err != nil {
		return "", err
	}
	var served struct{ Interfaces map[specs.Interface]string }
	if err := json.Unmarshal(text, &served); err != nil {
		return "", err
	}
	d := servedDocuments{}
	if d.folder, err = os.MkdirTemp("", "understudy-mcp-"); err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(d.folder) }()
	for _, name := range slices.Sorted(maps.Keys(served.Interfaces)) {
		file, err := m.documentFile(ctx, name, d.folder)
		if err != nil {
			return "", err
		}
		d.names = append(d.names, string(name))
		if file != "" {
			d.flags = append(d.flags, "--spec", string(name)+"="+file)
		}
	}
	return do(d)
}

// documentFile returns the file of a document: a given one, or what the mock serves, written to a folder; empty if that
// is the platform's own document.
func (m *agentMock) documentFile(ctx context.Context, name specs.Interface, folder string) (string, error) {
	for _, given := range m.own {
		if given[0] == string(name) {
			return given[1], nil
		}
	}
	text, err := m.control(ctx, http.MethodGet, "/specs/"+string(name)+".yaml", nil)
	if err != nil {
		return "", err
	}
	if known, err := specs.Source(name, m.brand); !name.IsOwn() && err == nil && bytes.Equal(known, text) {
		return "", nil
	}
	file := filepath.Join(folder, string(name)+".yaml")
	return file, os.WriteFile(file, text, 0o600)
}

// command runs a command of this program, and returns what it prints. A verdict counts as a result, not as an error.
func (m *agentMock) command(ctx context.Context, args ...string) (string, error) {
	var out, errs bytes.Buffer
	err := run(ctx, args, strings.NewReader(""), &out, &errs)
	if exitCode(err) == exitViolations && out.Len() > 0 {
		err = nil
	}
	return out.String(), err
}

// server returns the server of the protocol.
func (m *agentMock) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "understudy", Version: version.Read().Version}, &mcp.ServerOptions{
		Instructions: "A stateful mock of HTTP interfaces, at " + m.url + ". Look operations up before calling them: " +
			"list_operations, then show_operation. Make a world of your own with make_world, and give its id to the other " +
			"tools, so that nothing disturbs you. When a request is refused, explain_exchange says why.",
	})
	m.addLookups(s)
	m.addWorlds(s)
	m.addRequests(s)
	return s
}

// addTool adds a tool whose answer is a text. ReadOnly tools change nothing in the mock.
func addTool[In any](
	s *mcp.Server, name, description string, readOnly bool, f func(context.Context, In) (string, error),
) {
	closed := false // it is the mock alone that tools reach
	t := &mcp.Tool{
		Name: name, Description: description,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly, OpenWorldHint: &closed},
	}
	mcp.AddTool(s, t, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := f(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: shortened(text)}}}, nil, nil
	})
}

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
