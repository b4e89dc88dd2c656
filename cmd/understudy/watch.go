package main

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/scenarios"
)

// watchFlags say whether scenarios and documents are read again when they change.
type watchFlags struct {
	watch  bool
	worlds *checkflags.Choice
}

func (f *watchFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.watch, "watch", false,
		"read your own scenarios and documents again when their files change")
	f.worlds = addEnumFlag(c, "watch-worlds",
		"with --watch, what happens to the worlds of a scenario that has changed: they begin anew, or at their next reset",
		checkflags.ChoiceOf(string(mockserver.ResetWorlds), string(mockserver.KeepWorlds)))
}

// Editors write a file in several steps, which count as one change if they are no further apart than the first of
// these. Files that change without a pause, such as a log that grows, are read again after the second.
const (
	watchPause    = 150 * time.Millisecond
	maxWatchPause = 2 * time.Second
)

// maxWatched bounds how many folders are watched, since systems have limits for that.
const maxWatched = 1000

// watcher reads the scenarios and documents of a server again when their files change.
type watcher struct {
	*fsnotify.Watcher
	server  *mockserver.Server
	worlds  mockserver.WorldsOnReload
	log     *slog.Logger
	ignored []string // files that the server writes itself, by the beginning of their paths
	trees   []string // folders of which those within are watched as well
	failed  string   // the last error, until it is corrected
	done    chan struct{}
}

// startWatching watches the files that the server was made of, until what it returns is called. Without --watch it does
// nothing.
func (f *serveFlags) startWatching(server *mockserver.Server, log *slog.Logger) (stop func(), err error) {
	if !f.watch {
		return func() {}, nil
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("--watch: %w", err)
	}
	w := &watcher{
		Watcher: notify, server: server, worlds: mockserver.WorldsOnReload(f.watchFlags.worlds.Word), log: log,
		done: make(chan struct{}),
	}
	for _, path := range []string{f.record, f.state} {
		if path != "" {
			w.ignored = append(w.ignored, absolute(path))
		}
	}
	if err := w.addAll(f); err != nil {
		_ = notify.Close()
		return nil, fmt.Errorf("--watch: %w", err)
	}
	w.reload() // what is read later is compared with this
	go w.run()
	return func() {
		_ = notify.Close()
		<-w.done
	}, nil
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// addAll watches the folders of all files that the user has given.
func (w *watcher) addAll(f *serveFlags) error {
	if f.scenarios != "" {
		w.trees = append(w.trees, absolute(f.scenarios))
	}
	if info, err := os.Stat(f.scenario); err == nil && !slices.Contains(scenarios.List(), f.scenario) {
		folder := absolute(f.scenario)
		if !info.IsDir() {
			folder = filepath.Dir(folder)
		}
		w.trees = append(w.trees, folder)
	}
	for _, tree := range w.trees {
		if err := w.addTree(tree); err != nil {
			return err
		}
	}
	for _, file := range f.specs.Files() {
		if err := w.Add(filepath.Dir(absolute(file.Path))); err != nil {
			return err
		}
	}
	if len(w.WatchList()) == 0 {
		return fmt.Errorf("there is nothing to watch: want a scenario of your own with --scenario or --scenarios, or a " +
			"document with --spec")
	}
	return nil
}

// addTree watches a folder and those within, but for hidden ones and those of packages. It watches folders rather than
// files, since many editors put a new file in the place of the old one.
func (w *watcher) addTree(folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case path != folder && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return fs.SkipDir
		case len(w.WatchList()) >= maxWatched:
			return fmt.Errorf("%s has more than %d folders: want a folder for the scenario alone", folder, maxWatched)
		}
		return w.Add(path)
	})
}

// run waits for changes until the watcher is closed.
func (w *watcher) run() {
	defer close(w.done)
	timer := time.NewTimer(watchPause)
	timer.Stop()
	var first time.Time // of the changes that were not read yet
	wait := func() {
		if first.IsZero() {
			first = time.Now()
		}
		timer.Reset(min(watchPause, maxWatchPause-time.Since(first)))
	}
	for {
		select {
		case event, ok := <-w.Events:
			switch {
			case !ok:
				return
			case event.Op == fsnotify.Chmod || slices.ContainsFunc(w.ignored, func(file string) bool {
				return strings.HasPrefix(event.Name, file)
			}):
				continue
			}
			w.addNew(event)
			wait()
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			w.log.Warn("watch the files", "error", err)
			wait() // changes may have been missed
		case <-timer.C:
			first = time.Time{}
			w.reload()
		}
	}
}

// addNew watches a folder that was made in one of the trees.
func (w *watcher) addNew(event fsnotify.Event) {
	within := func(tree string) bool { return strings.HasPrefix(event.Name, tree+string(filepath.Separator)) }
	if !event.Has(fsnotify.Create) || !slices.ContainsFunc(w.trees, within) {
		return
	}
	if info, err := os.Stat(event.Name); err != nil || !info.IsDir() {
		return
	}
	if err := w.addTree(event.Name); err != nil {
		w.log.Warn("watch a new folder", "error", err)
	}
}

// reload reads everything again. A mistake is logged once.
func (w *watcher) reload() {
	err := w.server.Reload(w.worlds)
	switch {
	case err == nil && w.failed != "":
		w.log.Info("the scenarios and documents are correct again")
	case err != nil && err.Error() != w.failed:
		w.log.Error("the changed files are wrong: what was read before stays in use", "error", err)
	}
	w.failed = ""
	if err != nil {
		w.failed = err.Error()
	}
}
