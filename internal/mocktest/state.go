package mocktest

import "strings"

// Replace replaces the world's state by a whole fixture or a dump.
func (c *Client) Replace(whole string) *Client {
	c.Helper()
	if err := c.World().Load([]byte(whole)); err != nil {
		c.Fatal(err)
	}
	return c
}

// Dump returns the world's state as text.
func (c *Client) Dump() string {
	c.Helper()
	dump, err := c.World().State()
	if err != nil {
		c.Fatal(err)
	}
	return string(dump)
}

// WantInState fails the test unless the world's state contains a text, or lacks it, as wanted.
func (c *Client) WantInState(text string, want bool) {
	c.Helper()
	if got := strings.Contains(c.Dump(), text); got != want {
		c.Errorf("the state has %s: %v, want %v", text, got, want)
	}
}
