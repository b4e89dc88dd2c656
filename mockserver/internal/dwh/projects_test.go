package dwh_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const wantWorkflow = `# Created by data warehouse integration 1, "orders_from_warehouse". Updating the integration replaces it.
timezone: "Asia/Tokyo"

schedule:
  daily>: "10:00:00"

_parallel: true

"+orders":
  bulkload>: "configs/orders.json"
  session: 1

"+customers":
  bulkload>: "configs/customers.json"
  session: 2
`

const wantOrders = `{
  "in": {
    "db": "SALES",
    "incremental": true,
    "incremental_columns": [
      "UPDATED_AT"
    ],
    "invalid_value_option": "fail_job",
    "schema": "PUBLIC",
    "select": "*",
    "source_type": "table_view",
    "svc_authentication_id": 42,
    "table": "ORDERS",
    "type": "snowflake",
    "warehouse": "LOADING"
  },
  "filters": [
    {
      "type": "rename",
      "from_column": {
        "name": "ID"
      }
    }
  ],
  "out": {
    "database": "sales",
    "mode": "append",
    "table": "orders"
  }
}
`

// newProject makes an integration with a schedule and fields of a client's own, and returns both its paths.
func newProject(t *testing.T) (c client, path, project string) {
	t.Helper()
	c = newClient(t)
	path = c.create(`"name"`, `"schedule_type": "daily", "schedule_option": "10:00", "timezone": "Asia/Tokyo",
		"filter_configs": [{"type": "rename", "from_column": {"name": "ID"}}], "name"`,
		`"mode"`, `"password": "not-for-all", "mode"`, `"table"`, `"token": "not-for-all", "table"`)
	return c, path, c.project(path)
}

func TestProjects(t *testing.T) {
	t.Parallel()
	const archive = "/archive?direct_download=false"
	t.Run("the archive holds the workflow and the configurations, and no field of a client's own", func(t *testing.T) {
		t.Parallel()
		c, path, project := newProject(t)
		files := unpack(t, c.At("workflow").Get(project+archive).Want(200).Body)
		want := map[string]string{
			"orders_from_warehouse.dig": wantWorkflow, "configs/orders.json": wantOrders,
			"configs/customers.json": files["configs/customers.json"], // like the other one
		}
		if d := cmp.Diff(want, files); d != "" || files["configs/customers.json"] == "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		c.Get(path+"/configs").Want(200).Wants("output_config.password", "not-for-all",
			"advanced_configs.0.config.token", "not-for-all")
	})
	t.Run("the workflow is one of the workflow interface", func(t *testing.T) {
		t.Parallel()
		c, _, project := newProject(t)
		c.At("workflow").Get(project+"/workflows").Want(200).Wants("workflows.#", "1",
			"workflows.0.name", "orders_from_warehouse", "workflows.0.timezone", "Asia/Tokyo",
			`workflows.0.config.\+customers.session`, "2")
	})
	t.Run("an update uploads another revision, in the name of who makes it", func(t *testing.T) {
		t.Parallel()
		c, path, project := newProject(t)
		c.At("workflow").Get(project+"/revisions").Wants("revisions.#", "1", "revisions.0.userInfo.svc.user.name",
			"Ada Admin")
		c.As("1/owner").Put(path, `{"advanced_configs": `+list(ordersEntry, products)+`}`).Want(200)
		c.At("workflow").Get(project+"/revisions").Wants("revisions.#", "2", "revisions.0.userInfo.svc.user.name",
			"Otto Owner")
		files := unpack(t, c.At("workflow").Get(project+archive).Want(200).Body)
		if _, there := files["configs/customers.json"]; there || files["configs/products.json"] == "" {
			t.Errorf("the files are %v", files)
		}
	})
}

func unpack(t *testing.T, archive string) map[string]string {
	t.Helper()
	zipped, err := gzip.NewReader(strings.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for packed := tar.NewReader(zipped); ; {
		header, err := packed.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(content)
	}
}
