package access

import (
	"maps"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// profileValue returns the value of an option for a user: its own value, else the account's default, else nil
// (documented).
func profileValue(u world.User, o world.ProfileOption) *string {
	if own, ok := u.Options[o.Key]; ok {
		return &own
	}
	return o.Default
}

// ListProfileOptions lists the profile options of a user.
var ListProfileOptions = op.On(readableUser, func(c *op.Call, u world.User) (op.Reply, error) {
	values := map[string]*string{}
	for _, o := range c.World.Account.ProfileOptions {
		values[o.Key] = profileValue(u, o)
	}
	return op.OK(values)
})

// GetProfileOption returns one profile option of a user.
var GetProfileOption = op.On(readableUser, profileOptionOf)

// profileOptionOf answers with the option of the path as a map of its single key (public).
func profileOptionOf(c *op.Call, u world.User) (op.Reply, error) {
	o, err := optionFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(map[string]*string{o.Key: profileValue(u, o)})
}

func optionFromPath(c *op.Call) (world.ProfileOption, error) {
	for _, o := range c.World.Account.ProfileOptions {
		if o.Key == c.Param("key") {
			return o, nil
		}
	}
	return world.ProfileOption{}, op.NotFound("profile option", "key", c.Param("key"))
}

// SetProfileOption sets one profile option of a user.
var SetProfileOption = op.OnTwo(settableOption, func(
	c *op.Call, u world.User, o world.ProfileOption,
) (op.Reply, error) {
	var body struct {
		Value *string `json:"value"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if body.Value == nil {
		return op.Reply{}, op.Unprocessable("value", "is missing: want a string")
	}
	options := map[string]string{}
	maps.Copy(options, u.Options)
	options[o.Key] = *body.Value
	u.Options = options
	putUser(c, u)
	return profileOptionOf(c, u)
})

// DeleteProfileOption deletes a user's own value of one profile option, so that the account's default applies again.
var DeleteProfileOption = op.OnTwo(settableOption, func(
	c *op.Call, u world.User, o world.ProfileOption,
) (op.Reply, error) {
	u.Options = maps.Clone(u.Options)
	delete(u.Options, o.Key)
	putUser(c, u)
	return op.None()
})

// settableOption returns the user and the option of the path, for administrators only (documented).
func settableOption(c *op.Call) (u world.User, o world.ProfileOption, err error) {
	if !c.Caller.Administers() {
		return u, o, op.Forbidden("only administrators may set and delete profile options")
	}
	if u, err = userFromPath(c); err != nil {
		return u, o, err
	}
	o, err = optionFromPath(c)
	return u, o, err
}
