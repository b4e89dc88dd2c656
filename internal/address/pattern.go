package address

import (
	"path"
	"strings"
)

// IsHostPattern reports whether a host stands for several: a * in it is any text without a dot. The last two labels
// have none, so that not all hosts of a domain that many share are meant.
func IsHostPattern(host string) bool {
	labels := strings.Split(host, ".")
	n := len(labels) - 2
	return n > 0 && strings.Contains(host, "*") && !strings.Contains(labels[n]+labels[n+1], "*")
}

// IsHost reports whether a host is a given one, or one of those that the given one stands for.
func IsHost(given, host string) bool {
	if given == host {
		return true
	}
	isOne, _ := path.Match(given, host)
	return isOne && IsHostPattern(given) && strings.Count(given, ".") == strings.Count(host, ".")
}
