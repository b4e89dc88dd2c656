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
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/internal/version"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
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
