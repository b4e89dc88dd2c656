package workflow

import (
	"fmt"
	"strconv"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// archiveType is the type of archives that are kept in the platform's own database.
const archiveType = "db"

const maxPage = 100

type revisionForm struct {
	Revision    string              `json:"revision"`
	CreatedAt   string              `json:"createdAt"`
	ArchiveType string              `json:"archiveType"`
	ArchiveMD5  string              `json:"archiveMd5"`
	UserInfo    map[string]userInfo `json:"userInfo"` // by the brand (public)
}

type userInfo struct {
	User struct {
		ID    int64  `json:"id"`
		Name  string `json:"name"`
		Email string `json:"email,omitempty"`
	} `json:"user"`
}

func revisionView(c *op.Call, r world.Revision) revisionForm {
	form := revisionForm{
		Revision: r.Name, CreatedAt: op.Instant(r.CreatedAt), ArchiveType: archiveType, ArchiveMD5: r.MD5,
		UserInfo: map[string]userInfo{},
	}
	if user, ok := c.World.Account.Users.Get(r.User); ok {
		var info userInfo
		info.User.ID, info.User.Name, info.User.Email = user.ID, user.Name, user.Email
		form.UserInfo[c.Operation.Document.Brand.Lower()] = info
	}
	return form
}

// listProjectRevisions lists the newest first. The mark of the next page is the last id of this one, in a form that
// does not look like one. last_id is out of use and has no effect.
var listProjectRevisions = op.On(projectFromPath, func(c *op.Call, p world.Project) (op.Reply, error) {
	size, err := c.Int("page[size]", maxPage)
	if err == nil && (size < 0 || size > maxPage) {
		err = op.Invalid("page[size]", "want 0 to %d, not %d", maxPage, size)
	}
	if err != nil {
		return op.Reply{}, err
	}
	next, err := firstOfPage(c, p)
	if err != nil {
		return op.Reply{}, err
	}
	page := []revisionForm{}
	var last world.Revision
	for ; next != 0 && int64(len(page)) < size; next = last.Previous {
		last, _ = c.World.Workflow.Revisions.Get(next)
		if !c.Has("name") || last.Name == c.Text("name") {
			page = append(page, revisionView(c, last))
		}
	}
	pagination := map[string]any{}
	if next != 0 && last.ID != 0 {
		pagination["nextPage"] = fmt.Sprintf("/api/projects/%d/revisions?page[size]=%d&page[after]=%s",
			p.ID, size, strconv.FormatInt(last.ID, 36))
	}
	return op.OK(map[string]any{"revisions": page, "pagination": pagination})
})

// firstOfPage returns the newest revision behind the mark page[after], 0 when there is none.
func firstOfPage(c *op.Call, p world.Project) (int64, error) {
	mark := c.Text("page[after]")
	if mark == "" {
		return p.Revision, nil
	}
	id, err := strconv.ParseInt(mark, 36, 64)
	r, ok := c.World.Workflow.Revisions.Get(id)
	if err != nil || !ok || r.Project != p.ID {
		return 0, op.Invalid("page[after]", "want a page token, as in pagination.nextPage, not %q", mark)
	}
	return r.Previous, nil
}

// revisionFromQuery returns the revision that the query names, the latest one when it names none.
func revisionFromQuery(c *op.Call, p world.Project) (world.Revision, error) {
	name := c.Text("revision")
	if name == "" {
		r, _ := c.World.Workflow.Revisions.Get(p.Revision)
		return r, nil
	}
	id, ok := c.World.Workflow.RevisionNamed(p.ID, name)
	r, _ := c.World.Workflow.Revisions.Get(id)
	if !ok {
		return r, op.NotFound("revision", "name", name)
	}
	return r, nil
}
