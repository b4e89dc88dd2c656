package engine

import "runtime/debug"

// VersionOf returns the version of a module that this program was built with, or the empty string if it does not know.
func VersionOf(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return ""
}
