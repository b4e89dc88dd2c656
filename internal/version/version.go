// Package version describes the program that it is linked into: its version, the commit that it was built from, and the
// documents that it carries.
package version

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"svc.example/understudy/specs"
)

// A build that the Go toolchain cannot know anything of, such as one from an archive of the source or in a container,
// is stamped with its version and its commit. They go before what the toolchain has noted:
//
//	M=svc.example/understudy/internal/version
//	go build -ldflags "-X $M.release=v1.2.3 -X $M.commit=0123abc" ./cmd/understudy
var release, commit string

const module = "svc.example/understudy"

// Info describes a build.
type Info struct {
	Version   string `json:"version"`            // such as v1.2.3, or devel
	Commit    string `json:"commit,omitempty"`   // in full, or as it was stamped
	Modified  bool   `json:"modified,omitempty"` // there were changes that were not committed
	Time      string `json:"time,omitempty"`     // of the commit, RFC 3339
	Go        string `json:"go"`                 // such as go1.26.8
	Platform  string `json:"platform"`           // such as linux/amd64
	Documents string `json:"documents"`          // the digest of the documents, as specs.Digest returns it
}

// Read returns what is known of this build. In a program that imports this module, the version is that of the module.
func Read() Info {
	build, _ := debug.ReadBuildInfo()
	info := from(build, release, commit)
	info.Documents = specs.Digest()
	return info
}

func from(build *debug.BuildInfo, release, commit string) Info {
	info := Info{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if build != nil {
		info.read(build)
	}
	if release != "" {
		info.Version, info.Commit, info.Time, info.Modified = release, commit, "", false
	}
	return info
}

// read takes over what the toolchain has noted. What it says of a commit is about the main module.
func (i *Info) read(build *debug.BuildInfo) {
	if build.Main.Path != module {
		for _, dep := range build.Deps {
			if dep.Path == module {
				i.Version = noted(dep.Version)
			}
		}
		return
	}
	i.Version = noted(build.Main.Version)
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.time":
			i.Time = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
}

func noted(version string) string { return cmp.Or(strings.Trim(version, "()"), "devel") }

// String returns the build in one line, with the beginnings of the commit and of the digest:
// "v1.2.3 (commit 0123456789ab, documents 0123456789ab, go1.26.8 linux/amd64)".
func (i Info) String() string {
	commit := "unknown"
	if i.Commit != "" {
		commit = short(i.Commit)
	}
	if i.Modified {
		commit += " modified"
	}
	return fmt.Sprintf("%s (commit %s, documents %s, %s %s)", i.Version, commit,
		short(strings.TrimPrefix(i.Documents, "sha256:")), i.Go, i.Platform)
}

func short(digits string) string { return digits[:min(12, len(digits))] }
