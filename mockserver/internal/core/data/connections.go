package data

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

const minConnectionName = 3

type connectionForm struct {
	Name         string  `json:"name"`
	URL          string  `json:"url"`
	Organization *string `json:"organization"` // a leftover, always null
}

// connectionNameForm gives the name twice (public).
type connectionNameForm struct {
	Name   string `json:"name"`
	Result string `json:"result"`
}

// ListConnections lists the connections of the account.
func ListConnections(c *op.Call) (op.Reply, error) {
	connections := []connectionForm{}
	for _, connection := range table.All(&c.World.Core.Connections) {
		connections = append(connections, connectionForm{Name: connection.Name, URL: connection.URL})
	}
	return op.OK(map[string]any{"results": connections})
}

// CreateConnection creates a connection.
func CreateConnection(c *op.Call) (op.Reply, error) {
	name := c.Param("connection_name")
	if n := utf8.RuneCountInString(name); n < minConnectionName {
		return op.Reply{}, op.Unprocessable("connection_name", "want %d or more characters, not %d: %q",
			minConnectionName, n, name)
	}
	var body struct {
		URL string `json:"url"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if body.URL == "" {
		return op.Reply{}, op.Unprocessable("url", "is missing")
	}
	if _, taken := c.World.Core.ConnectionNames.Get(name); taken {
		return op.Reply{}, op.Conflict("connection %s exists already", name)
	}
	id := c.World.NewID("core.connection")
	c.World.Core.Connections.Put(id, world.Connection{ID: id, Name: name, URL: body.URL})
	c.World.Core.ConnectionNames.Put(name, id)
	return op.OK(connectionNameForm{name, name})
}

// DeleteConnection deletes a connection.
func DeleteConnection(c *op.Call) (op.Reply, error) {
	name := c.Param("connection_name")
	id, err := connectionNamed(c, name)
	if err != nil {
		return op.Reply{}, err
	}
	table.Delete(&c.World.Core.Connections, id)
	c.World.Core.ConnectionNames.Delete(name)
	return op.OK(connectionNameForm{name, name})
}

// LookupConnection returns the id of the connection with a name.
func LookupConnection(c *op.Call) (op.Reply, error) {
	id, err := connectionNamed(c, c.Text("name"))
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(map[string]int64{"id": id})
}

func connectionNamed(c *op.Call, name string) (int64, error) {
	id, ok := c.World.Core.ConnectionNames.Get(name)
	if !ok {
		return 0, op.NotFound("connection", "name", name)
	}
	return id, nil
}

type connectorConfigForm struct {
	Type     string         `json:"type"`
	Settings jsontext.Value `json:"settings"`
}

// ValidateConnectorConfig checks the configuration of a connector, which needs a type and settings (assumed). If the
// world lists the connectors of the account, by their restrictions, the type must be one of them; and if a connection
// is named, its URL must be for that type.
var ValidateConnectorConfig = op.Sent(func(
	c *op.Call, body struct {
		connectorConfigForm
		ConnectionID *int64 `json:"connection_id"`
	},
) (op.Reply, error) {
	_, restricted := c.World.Core.Restrictions[body.Type]
	switch {
	case body.Type == "":
		return op.Reply{}, op.Unprocessable("type", "is missing")
	case len(c.World.Core.Restrictions) > 0 && !restricted:
		return op.Reply{}, op.Unprocessable("type", "unknown connector %q", body.Type)
	case body.Settings.Kind() != '{':
		return op.Reply{}, op.Unprocessable("settings", "are missing")
	case body.ConnectionID == nil:
		return op.OK(body.connectorConfigForm)
	}
	connection, ok := c.World.Core.Connections.Get(*body.ConnectionID)
	if !ok {
		return op.Reply{}, op.NotFound("connection", "id", *body.ConnectionID)
	}
	if !schemeFits(connection.URL, body.Type) {
		return op.Reply{}, op.Unprocessable("connection_id", "connection %s is not for %s", connection.Name, body.Type)
	}
	return op.OK(body.connectorConfigForm)
})

// schemeFits reports whether the scheme of a URL fits a type of connectors. Types come in versions, as s3 and s3_v2. A
// URL without a scheme fits any type.
func schemeFits(address, connector string) bool {
	u, err := url.Parse(address)
	return err != nil || strings.HasPrefix(connector, u.Scheme) || strings.HasPrefix(u.Scheme, connector)
}

// GetDataConnectorRestrictions returns the restrictions that the fixture of the world has set.
func GetDataConnectorRestrictions(c *op.Call) (op.Reply, error) {
	return op.OK(c.World.Core.Restrictions)
}
