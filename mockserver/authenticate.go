package mockserver

import (
	"fmt"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// credential returns the API key that the request shows, or the empty string. The scheme word and the names of headers
// are read without regard to case. Where a header of its own may carry the key, Authorization decides as soon as it is
// there: what stands in it without the scheme, even the bare key, is then an unknown key.
func (x *exchange) credential() string {
	header := strings.TrimSpace(headerOf(x.r, "Authorization"))
	scheme, key, found := strings.Cut(header, " ")
	switch {
	case found && (x.rules.Authenticate != nil || strings.EqualFold(scheme, x.doc.Brand.Scheme())):
		return strings.TrimSpace(key)
	case x.bareKey && header != "" && !found:
		return header
	case x.keyHeader != "" && header == "":
		return strings.TrimSpace(x.r.Header.Get(x.keyHeader))
	case x.keyHeader != "":
		return "Authorization: " + header
	}
	return ""
}

// authenticate finds out who calls, and refuses a caller whose role is too small.
func (x *exchange) authenticate(value *world.State, route *op.Route) (world.Caller, error) {
	if x.rules.Authenticate != nil {
		return world.Caller{}, x.rules.Authenticate(x.match.Operation, x.r)
	}
	caller, known := value.Account.Caller(x.key)
	switch {
	case route.For == op.Anyone:
		return caller, nil
	case x.key == "":
		why := "no API key"
		if headerOf(x.r, "Authorization") != "" { // it is not repeated: a key may stand where the scheme should
			why = "the header Authorization has another scheme than " + x.doc.Brand.Scheme()
		}
		return caller, &op.Error{Code: op.CodeUnauthorized, Message: fmt.Sprintf(
			"%s: send the header Authorization with the scheme %s and an API key", why, x.doc.Brand.Scheme())}
	case !known:
		return caller, &op.Error{Code: op.CodeUnauthorized, Message: "the API key is not valid"}
	case caller.WriteOnly && route.For != op.Importers:
		return caller, op.Forbidden("a write-only key may only import data")
	case route.For == op.Administrators && !caller.Administers():
		return caller, op.Forbidden("only administrators may do this")
	case route.For == op.Delegates && !caller.Delegates():
		return caller, op.Forbidden("only administrators and delegated admins may do this")
	}
	return caller, nil
}
