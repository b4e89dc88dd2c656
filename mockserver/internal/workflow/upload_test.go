package workflow_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

// entry is one of a tar that no decent tool makes.
type entry struct {
	name, content, link string
	kind                byte
}

func rawArchive(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Size: int64(len(e.content)), Mode: 0o644}
		if err := packed.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(packed, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestUploadRefusals(t *testing.T) {
	t.Parallel()
	good := archive(t, map[string]string{"daily": plain})
	flipped := bytes.Clone(good)
	flipped[len(flipped)-5] ^= 1
	bomb := func() []byte {
		var out bytes.Buffer
		zipped, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
		zeros := make([]byte, 1<<20)
		for range 100 {
			_, _ = zipped.Write(zeros)
		}
		_ = zipped.Close()
		return out.Bytes()
	}()
	for name, test := range map[string]struct {
		gz    []byte
		words []string
	}{
		"bytes that are no gzip":           {[]byte("hello"), []string{"gzip"}},
		"half an archive":                  {good[:len(good)/2], []string{"archive"}},
		"an archive with a wrong checksum": {flipped, []string{"checksum"}},
		"more than 10 MB": {
			append(bytes.Clone(good), make([]byte, 10_000_001)...), []string{"10000000", "bytes"},
		},
		"a bomb of zeros": {bomb, []string{"archive"}},
		"a path to above": {rawArchive(t, entry{name: "../evil.dig", content: plain, kind: tar.TypeReg}), []string{".."}},
		"an absolute path": {
			rawArchive(t, entry{name: "/etc/evil.dig", content: plain, kind: tar.TypeReg}), []string{"relative"},
		},
		"a link to elsewhere": {
			rawArchive(t, entry{name: "a.dig", link: "../../etc/passwd", kind: tar.TypeSymlink}), []string{"link"},
		},
		"a device": {rawArchive(t, entry{name: "a", kind: tar.TypeChar}), []string{"only files"}},
		"a workflow that is no YAML": {
			archive(t, map[string]string{"daily": "+a: ["}), []string{"daily.dig"},
		},
		"a schedule that is none": {
			archive(t, map[string]string{"daily": "schedule:\n  daily>: noon\n" + plain}), []string{"daily.dig:2"},
		},
		"a time zone that is none": {
			archive(t, map[string]string{"daily": "timezone: Mars/Olympus\n" + plain}), []string{"daily.dig", "Mars/Olympus"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, h := range []client{newClient(t), lenient(t)} {
				h.put("shop", "v1", test.gz, nil).Refused(http.StatusBadRequest, test.words...)
				wantEqual(t, "projects", h.get("/api/projects"), object{"projects": []any{}})
			}
		})
	}
	t.Run("no body", func(t *testing.T) {
		t.Parallel()
		for _, h := range []client{newClient(t), lenient(t)} {
			h.put("shop", "v1", nil, nil).Refused(http.StatusBadRequest)
		}
	})
}

func TestUploadParameters(t *testing.T) {
	t.Parallel()
	good := archive(t, map[string]string{"daily": plain})
	for name, test := range map[string]struct {
		project, revision string
		query             url.Values
		words             []string
	}{
		"a project without a name":         {"", "v1", nil, []string{"project"}},
		"a name with a leading digit":      {"1shop", "v1", nil, []string{"project"}},
		"a name with a slash":              {"a/b", "v1", nil, []string{"project"}},
		"a name that ends like a file":     {"shop.dig", "v1", nil, []string{"project"}},
		"a name that is too long":          {strings.Repeat("a", 256), "v1", nil, []string{"project", "255"}},
		"a revision without a name":        {"shop", "", nil, []string{"revision"}},
		"a revision with a NUL":            {"shop", "v\x00", nil, []string{"revision"}},
		"a revision name that is too long": {"shop", strings.Repeat("v", 256), nil, []string{"revision", "255"}},
		"a schedule_from that is no time":  {"shop", "v1", url.Values{"schedule_from": {"soon"}}, []string{"schedule_from"}},
		"clearing a workflow that is not there": {
			"shop", "v1", url.Values{"clear_schedule": {"daily", "gone"}}, []string{"clear_schedule", "gone"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, h := range []client{newClient(t), lenient(t)} {
				h.put(test.project, test.revision, good, test.query).Refused(http.StatusBadRequest, test.words...)
				wantEqual(t, "projects", h.get("/api/projects"), object{"projects": []any{}})
			}
		})
	}
	t.Run("parameters that are missing", func(t *testing.T) {
		t.Parallel()
		for _, h := range []client{newClient(t), lenient(t)} {
			for _, query := range []string{"", "?project=shop", "?revision=v1"} {
				h.send("PUT", "/api/projects"+query, good).Refused(http.StatusBadRequest)
			}
		}
	})
	t.Run("a body of another media type", func(t *testing.T) {
		t.Parallel()
		newClient(t).Put("/api/projects?project=shop&revision=v1", "{}").Refused(http.StatusBadRequest)
	})
}

func TestUploadIsAllOrNothing(t *testing.T) {
	t.Parallel()
	const daily = "schedule:\n  daily>: 07:00:00\n" + plain
	t.Run("a revision name that was used before is a conflict", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": daily})
		h.upload("shop", "v2", map[string]string{"daily": daily})
		before := h.get("/api/projects/1")
		for _, used := range []string{"v1", "v2"} {
			h.put("shop", used, archive(t, map[string]string{"other": plain}), nil).Refused(http.StatusConflict, used, "shop")
		}
		wantEqual(t, "project", h.get("/api/projects/1"), before)
		h.upload("other", "v1", map[string]string{"daily": plain})
	})
	t.Run("a refused archive leaves revision, workflows and schedules as they were", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{"daily": daily})
		project, workflows, schedules := h.get("/api/projects/1"), h.get("/api/workflows"), h.get("/api/schedules")
		broken := archive(t, map[string]string{"daily": "schedule:\n  hourly>: 05:00\n" + plain, "zz": "+a: ["})
		h.put("shop", "v2", broken, nil).Refused(http.StatusBadRequest, "zz.dig")
		wantEqual(t, "project", h.get("/api/projects/1"), project)
		wantEqual(t, "workflows", h.get("/api/workflows"), workflows)
		wantEqual(t, "schedules", h.get("/api/schedules"), schedules)
	})
	t.Run("a workflow of a million tasks can be put, and not be started", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.upload("shop", "v1", map[string]string{
			"big": "+loop:\n  loop>: 1000000\n  _do:\n    +step:\n      echo>: hi\n",
		})
		h.send("PUT", "/api/attempts",
			object{"workflowId": "1", "sessionTime": "2026-01-15T00:00:00Z", "params": object{}}).Refused(http.StatusBadRequest,
			"1000", "tasks")
	})
	t.Run("a project without workflows is one", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		gz := rawArchive(t, entry{name: "queries/a.sql", content: "select 1", kind: tar.TypeReg})
		h.put("shop", "v1", gz, nil).Want(http.StatusOK)
		wantEqual(t, "workflows", h.get("/api/projects/1/workflows"), object{"workflows": []any{}})
	})
}

func TestUploadOfManyWorkflows(t *testing.T) {
	t.Parallel()
	h := newClient(t)
	workflows := map[string]string{}
	for n := range 2000 {
		workflows[fmt.Sprintf("w%04d", n)] = plain
	}
	h.upload("shop", "v1", workflows)
	h.upload("shop", "v2", workflows)
	wantEqual(t, "workflows", len(list(h.get("/api/projects/1/workflows"), "workflows")), 2000)
	wantEqual(t, "latest", h.get("/api/workflows?count=1")["workflows"].([]any)[0].(object)["id"], "2001")
}

func TestUploadThroughASocketLosesNothing(t *testing.T) {
	t.Parallel()
	h := newClient(t)
	server := httptest.NewServer(h.Server)
	defer server.Close()
	gz := archive(t, map[string]string{"a": plain})
	request, err := http.NewRequestWithContext(t.Context(), "PUT",
		server.URL+"/workflow/api/projects?project=shop&revision=v1", bytes.NewReader(gz))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "SVC1 1/admin")
	request.Header.Set("Content-Type", "application/gzip")
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	mocktest.Answer{TB: t, Status: response.StatusCode, Body: string(text)}.Want(http.StatusOK).Wants("name", "shop")
}
