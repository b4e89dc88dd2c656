package access

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// usualPassword is the password of every user who was not given one: scenarios have users and keys, but no passwords.
const usualPassword = "password"

// passwordDigest returns the digest that is stored for a password.
func passwordDigest(user int64, password string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s", user, password))
	return hex.EncodeToString(sum[:])
}

func hasPassword(u world.User, password string) bool {
	if u.Password == "" {
		return password == usualPassword
	}
	return u.Password == passwordDigest(u.ID, password)
}

// AuthenticateUser returns a master key of the user whose password it is given. Clients accept only 400 for a wrong
// password (client).
func AuthenticateUser(c *op.Call) (op.Reply, error) {
	var body struct {
		User     string `json:"user"`
		Password string `json:"password"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	u, ok := userNamed(c.World, body.User)
	if !ok || !hasPassword(u, body.Password) {
		return op.Reply{}, op.Invalid("", "authentication failed")
	}
	keys := keysOf(&c.World.Account, u.ID)
	if len(keys) == 0 || keys[0].WriteOnly {
		return op.OK(map[string]string{"user": body.User, "apikey": newKey(c, u.ID, false)})
	}
	return op.OK(map[string]string{"user": body.User, "apikey": c.World.Account.PlatformKey(keys[0])})
}

// ChangePassword sets the password of any user.
func ChangePassword(c *op.Call) (op.Reply, error) {
	u, err := namedUser(c)
	if err != nil {
		return op.Reply{}, err
	}
	return setPassword(c, u)
}

// ChangeMyPassword sets the password of the caller, who must give the old one.
func ChangeMyPassword(c *op.Call) (op.Reply, error) {
	var body struct {
		Old string `json:"old_password"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if !hasPassword(c.Caller.User, body.Old) {
		return op.Reply{}, op.Invalid("old_password", "is not the password of the user")
	}
	return setPassword(c, c.Caller.User)
}

func setPassword(c *op.Call, u world.User) (op.Reply, error) {
	var body struct {
		Password string `json:"password"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if body.Password == "" {
		return op.Reply{}, op.Invalid("password", "want a string that is not empty")
	}
	u.Password = passwordDigest(u.ID, body.Password)
	putUser(c, u)
	return referToUser(u)
}
