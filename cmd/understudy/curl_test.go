package main_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// curl stands in for the real one, as far as the documentation and the examples of operations need it: -s, -sS, -N,
// -H HEADER, -X METHOD, -d BODY, --data-binary @FILE or @-, -o FILE, -w with nothing but the status, and one address.
func curl(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := curlCall{stdin: stdin, method: http.MethodGet, header: http.Header{}}
	if err := c.parse(args); err != nil {
		fmt.Fprintln(stderr, "curl:", err)
		return 2
	}
	if err := c.do(stdout); err != nil {
		fmt.Fprintln(stderr, "curl:", err)
		return 7
	}
	return 0
}

type curlCall struct {
	stdin                    io.Reader
	method, url, body, after string
	header                   http.Header
	into                     string // a file; standard output if it is empty
}

func (c *curlCall) parse(args []string) error {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "-s" || arg == "-sS" || arg == "-N" {
			continue
		}
		if !strings.HasPrefix(arg, "-") {
			c.url = arg
			continue
		}
		if len(args) == 0 {
			return fmt.Errorf("option %s: wants a value", arg)
		}
		if err := c.option(arg, args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	return nil
}

func (c *curlCall) option(name, value string) error {
	switch name {
	case "-H":
		header, text, _ := strings.Cut(value, ":")
		c.header.Set(header, strings.TrimSpace(text))
	case "-X":
		c.method = value
	case "-d":
		c.send([]byte(value))
	case "--data-binary":
		body, err := c.read(strings.TrimPrefix(value, "@"))
		if err != nil {
			return err
		}
		c.send(body)
	case "-o":
		c.into = value
	case "-w":
		c.after = value
	default:
		return fmt.Errorf("option %s: this stand-in does not know it", name)
	}
	return nil
}

func (c *curlCall) read(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(c.stdin)
	}
	return os.ReadFile(file)
}

func (c *curlCall) send(body []byte) {
	c.body = string(body)
	if c.method == http.MethodGet {
		c.method = http.MethodPost
	}
	if c.header.Get("Content-Type") == "" {
		c.header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
}

func (c *curlCall) do(stdout io.Writer) error {
	request, err := http.NewRequestWithContext(context.Background(), c.method, c.url, strings.NewReader(c.body))
	if err != nil {
		return err
	}
	request.Header = c.header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if c.into == "" {
		_, err = stdout.Write(body)
	} else {
		err = os.WriteFile(c.into, body, 0o600)
	}
	if err != nil {
		return err
	}
	after := strings.NewReplacer(`\n`, "\n", "%{http_code}", fmt.Sprint(response.StatusCode)).Replace(c.after)
	_, err = io.WriteString(stdout, after)
	return err
}
