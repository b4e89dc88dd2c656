package workflow_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestTasks(t *testing.T) {
	t.Parallel()
	t.Run("say under both names whether they group others", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{"w": "+load:\n  +orders: {echo>: x}\n"})
		a := c.start("shop", "w")
		c.Advance(time.Second)
		answer := decode[struct{ Tasks []map[string]any }](c.Get("/api/attempts/" + a.ID + "/tasks").Want(http.StatusOK))
		var got []string
		for _, task := range answer.Tasks {
			got = append(got, fmt.Sprint(task["fullName"], " ", task["group"], " ", task["isGroup"]))
		}
		wantEqual(t, "tasks", got, []string{"+w true true", "+w+load true true", "+w+load+orders false false"})
	})
}
