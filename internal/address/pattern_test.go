package address_test

import (
	"testing"

	"svc.example/understudy/internal/address"
)

func TestHostsStandForOthersBelowTheirLastTwoLabels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		given, host string
		want        bool
	}{
		{"shop.example", "shop.example", true},
		{"shop.example", "a.shop.example", false},
		{"*.shop.example", "acme.shop.example", true},
		{"*.shop.example", "a.b.shop.example", false},
		{"*.shop.example", "shop.example", false},
		{"*.shop.example", ".shop.example", true},
		{"*-api.eu.shop.example:8443", "acme-api.eu.shop.example:8443", true},
		{"*-api.eu.shop.example", "acme.eu.shop.example", false},
		{"*.*.shop.example", "acme.eu.shop.example", true},
		{"*.example", "shop.example", false},
		{"*", "shop.example", false},
		{"shop.*", "shop.example", false},
		{"[::1]", "[::1]", true},
		{"[::1]", ":", false},
	} {
		if got := address.IsHost(tt.given, tt.host); got != tt.want {
			t.Errorf("%s is %s: %t", tt.host, tt.given, got)
		}
	}
}
