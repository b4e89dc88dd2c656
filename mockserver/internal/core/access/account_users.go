package access

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// listedUserForm is a user in a list, which a strict client refuses with more members (client).
type listedUserForm struct {
	ID            int64    `json:"id"`
	Name          string   `json:"name"`
	FirstName     string   `json:"first_name"`
	LastName      string   `json:"last_name"`
	Email         *string  `json:"email"`
	Phone         *string  `json:"phone"`
	GravatarURL   string   `json:"gravatar_url"`
	Administrator bool     `json:"administrator"`
	AccountOwner  bool     `json:"account_owner"`
	Organization  string   `json:"organization"` // a leftover, like the roles
	Roles         []string `json:"roles"`
	CreatedAt     string   `json:"created_at"`
	UpdatedAt     string   `json:"updated_at"`
}

// accountUserForm is a user by itself.
type accountUserForm struct {
	listedUserForm
	Restricted    bool `json:"restricted"`
	EmailVerified bool `json:"email_verified"`
	Me            bool `json:"me"`
}

func accountUserView(c *op.Call, u world.User) accountUserForm {
	return accountUserForm{
		listedUserForm: listedUserView(c, u),
		Restricted:     !u.Role.Administers(), EmailVerified: u.Email != "", Me: u.ID == c.Caller.User.ID,
	}
}

func listedUserView(c *op.Call, u world.User) listedUserForm {
	first, last, _ := strings.Cut(u.Name, " ")
	picture := md5.Sum([]byte(strings.ToLower(u.Email)))
	return listedUserForm{
		ID: u.ID, Name: u.Name, FirstName: first, LastName: last, Email: email(u),
		GravatarURL:   specs.Brand(c.World.Brand).Text("https://avatars.svc.example/") + hex.EncodeToString(picture[:]),
		Administrator: u.Role.Administers(), AccountOwner: u.Role == world.Owner, Roles: []string{},
		CreatedAt: op.Instant(u.CreatedAt), UpdatedAt: op.Instant(u.UpdatedAt),
	}
}

// userReference names a user in the answers of the operations that change one (assumed).
type userReference struct {
	Name  string  `json:"name"`
	Email *string `json:"email"`
}

func referToUser(u world.User) (op.Reply, error) { return op.OK(userReference{u.Name, email(u)}) }

// ListUsers lists all users except sub users, which have a list of their own (assumed). All users see each other.
func ListUsers(c *op.Call) (op.Reply, error) {
	users := []listedUserForm{}
	for u := range c.World.Account.LiveUsers() {
		if u.Role != world.SubUser {
			users = append(users, listedUserView(c, u))
		}
	}
	return op.OK(map[string]any{"users": users})
}

// GetUser returns the user that the path names.
var GetUser = op.On(namedUser, func(c *op.Call, u world.User) (op.Reply, error) {
	return op.OK(accountUserView(c, u))
})

// namedUser returns the user of the path, which clients name by e-mail address, name or id.
func namedUser(c *op.Call) (world.User, error) {
	name := c.Param("name")
	u, ok := userNamed(c.World, name)
	if !ok {
		u, ok = userWith(c.World, func(u world.User) bool { return op.IDText(u.ID) == name })
	}
	if !ok {
		return u, op.NotFound("user", "name", name)
	}
	return u, nil
}

// userNamed returns the user with an e-mail address, or else with a name.
func userNamed(w *world.State, name string) (world.User, bool) {
	if name == "" {
		return world.User{}, false
	}
	if u, ok := userWith(w, func(u world.User) bool { return u.Email == name }); ok {
		return u, true
	}
	return userWith(w, func(u world.User) bool { return u.Name == name })
}

func userWith(w *world.State, fits func(world.User) bool) (world.User, bool) {
	for u := range w.Account.LiveUsers() {
		if fits(u) {
			return u, true
		}
	}
	return world.User{}, false
}

// ownUser returns the user of the path if the caller is that user or administers the account (assumed).
func ownUser(what string) func(*op.Call) (world.User, error) {
	return func(c *op.Call) (world.User, error) {
		u, err := namedUser(c)
		if err == nil && !c.Caller.Administers() && u.ID != c.Caller.User.ID {
			err = op.Forbidden("only administrators may %s of other users", what)
		}
		return u, err
	}
}

// AddUser adds a restricted user (assumed) with a master key and a write-only key.
var AddUser = op.Sent(func(
	c *op.Call, body struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	},
) (op.Reply, error) {
	if name, domain, found := strings.Cut(body.Email, "@"); !found || name == "" || domain == "" {
		return op.Reply{}, op.Invalid("email", "want an e-mail address, not %q", body.Email)
	}
	name := c.Param("name")
	for _, used := range []string{name, body.Email} {
		if other, taken := userNamed(c.World, used); taken {
			return op.Reply{}, op.Conflict("user %d already has the name %s", other.ID, used)
		}
	}
	u := world.User{
		ID: c.World.NewID("user"), Name: name, Email: body.Email, Role: world.Restricted, CreatedAt: c.Now,
		UpdatedAt: c.Now,
	}
	if body.Password != "" {
		u.Password = passwordDigest(u.ID, body.Password)
	}
	c.World.Account.PutUser(u)
	newKey(c, u.ID, false)
	newKey(c, u.ID, true)
	return op.OK(accountUserView(c, u))
})

// RemoveUser removes a user with its keys and its OAuth tokens and codes. Its sub users are removed with it (assumed).
func RemoveUser(c *op.Call) (op.Reply, error) {
	u, err := namedUser(c)
	switch {
	case err != nil:
		return op.Reply{}, err
	case u.Role == world.Owner:
		return op.Reply{}, op.Forbidden("user %d owns the account and cannot be removed", u.ID)
	case u.ID == c.Caller.User.ID:
		return op.Reply{}, op.Forbidden("users cannot remove themselves")
	}
	for other := range c.World.Account.LiveUsers() {
		if other.Parent == u.ID {
			destroyUser(c, other)
		}
	}
	destroyUser(c, u)
	return referToUser(u)
}

// destroyUser soft-destroys a user: it deletes its keys, and revokes its OAuth tokens and the codes that were not
// exchanged yet.
func destroyUser(c *op.Call, u world.User) {
	u.DeletedAt = c.Now
	putUser(c, u)
	deleteKeys(&c.World.Account, u.ID)
	revokeTokens(c, func(t world.OAuthToken) bool { return t.User == u.ID })
	revokeCodes(c, func(code world.OAuthCode) bool { return code.User == u.ID })
}

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
var AuthenticateUser = op.Sent(func(
	c *op.Call, body struct {
		User     string `json:"user"`
		Password string `json:"password"`
	},
) (op.Reply, error) {
	u, ok := userNamed(c.World, body.User)
	if !ok || !hasPassword(u, body.Password) {
		return op.Reply{}, op.Invalid("", "authentication failed")
	}
	keys := keysOf(&c.World.Account, u.ID)
	if len(keys) == 0 || keys[0].WriteOnly {
		return op.OK(map[string]string{"user": body.User, "apikey": newKey(c, u.ID, false)})
	}
	return op.OK(map[string]string{"user": body.User, "apikey": c.World.Account.PlatformKey(keys[0])})
})

// ChangePassword sets the password of any user.
var ChangePassword = op.On(namedUser, setPassword)

// ChangeMyPassword sets the password of the caller, who must give the old one.
var ChangeMyPassword = op.Sent(func(
	c *op.Call, body struct {
		Old string `json:"old_password"`
	},
) (op.Reply, error) {
	if !hasPassword(c.Caller.User, body.Old) {
		return op.Reply{}, op.Invalid("old_password", "is not the password of the user")
	}
	return setPassword(c, c.Caller.User)
})

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
