package workflow

import (
	"slices"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

const maxSecret = 16 << 10

// listProjectSecrets lists keys in the order in which they were first set.
var listProjectSecrets = op.On(projectFromPath, func(_ *op.Call, p world.Project) (op.Reply, error) {
	secrets := make([]map[string]string, len(p.Secrets))
	for i, key := range p.Secrets {
		secrets[i] = map[string]string{"key": key}
	}
	return op.OK(map[string]any{"secrets": secrets})
})

// putProjectSecret checks the value and drops it: it can never be read again, so that no client can notice.
var putProjectSecret = op.OnTwo(secretFromPath, func(c *op.Call, p world.Project, key string) (op.Reply, error) {
	var body struct {
		Value *string `json:"value"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if body.Value == nil {
		return op.Reply{}, op.Invalid("value", "is missing: want the value of the secret")
	}
	if n := len(*body.Value); n > maxSecret {
		return op.Reply{}, op.Invalid("value", "has %d bytes, but at most %d are allowed", n, maxSecret)
	}
	if !slices.Contains(p.Secrets, key) {
		p.Secrets = append(slices.Clip(p.Secrets), key)
	}
	c.World.Workflow.Projects.Put(p.ID, p)
	return op.None()
})

// deleteProjectSecret takes a key that is not there for removed.
var deleteProjectSecret = op.OnTwo(secretFromPath, func(c *op.Call, p world.Project, key string) (op.Reply, error) {
	p.Secrets = slices.DeleteFunc(slices.Clone(p.Secrets), func(set string) bool { return set == key })
	c.World.Workflow.Projects.Put(p.ID, p)
	return op.None()
})

func secretFromPath(c *op.Call) (p world.Project, key string, err error) {
	if p, err = projectFromPath(c); err != nil {
		return p, "", err
	}
	key = c.Param("key")
	if err := dig.CheckSecretKey(key); err != nil {
		return p, key, op.Invalid("key", "%v", err)
	}
	return p, key, nil
}
