package data

import (
	"bytes"
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// ListBulkImportParts lists the names of the parts of a bulk import.
func ListBulkImportParts(c *op.Call) (op.Reply, error) {
	b, err := bulkImportFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	parts := []string{}
	for _, part := range b.Parts {
		parts = append(parts, part.Name)
	}
	return op.OK(map[string]any{"name": b.Name, "bulk_import": b.Name, "parts": parts})
}

// UploadBulkImportPart adds a part, or replaces the one of the same name, so that a client may repeat an upload
// (assumed).
func UploadBulkImportPart(c *op.Call) (op.Reply, error) {
	b, err := openBulkImport(c)
	if err != nil {
		return op.Reply{}, err
	}
	if len(c.Raw) == 0 {
		return op.Reply{}, op.Invalid("", "the request has no body; want rows in msgpack.gz")
	}
	part := world.BulkPart{Name: c.Param("part_name"), Body: bytes.Clone(c.Raw)}
	b.Parts = slices.Clone(b.Parts)
	if at := partNamed(b, part.Name); at >= 0 {
		b.Parts[at] = part
	} else {
		b.Parts = append(b.Parts, part)
	}
	c.World.Core.BulkImports.Put(b.ID, b)
	return ReferToBulkImport(b)
}

func partNamed(b world.BulkImport, name string) int {
	return slices.IndexFunc(b.Parts, func(p world.BulkPart) bool { return p.Name == name })
}

// DeleteBulkImportPart removes a part of a bulk import.
func DeleteBulkImportPart(c *op.Call) (op.Reply, error) {
	b, err := openBulkImport(c)
	if err != nil {
		return op.Reply{}, err
	}
	at := partNamed(b, c.Param("part_name"))
	if at < 0 {
		return op.Reply{}, op.NotFound("part", "name", c.Param("part_name"))
	}
	b.Parts = slices.Delete(slices.Clone(b.Parts), at, at+1)
	c.World.Core.BulkImports.Put(b.ID, b)
	return ReferToBulkImport(b)
}

// openBulkImport returns a bulk import that accepts parts.
func openBulkImport(c *op.Call) (world.BulkImport, error) {
	b, err := BulkImportIn(c, world.BulkUploading)
	if err == nil && b.Frozen {
		err = op.Unprocessable("", "bulk import %s is frozen: unfreeze it first", b.Name)
	}
	return b, err
}

// FreezeBulkImport ends the upload of parts, whatever the status of the bulk import. A frozen one stays frozen.
func FreezeBulkImport(c *op.Call) (op.Reply, error) {
	b, err := ownBulkImport(c)
	if err != nil {
		return op.Reply{}, err
	}
	b.Frozen = true
	c.World.Core.BulkImports.Put(b.ID, b)
	return ReferToBulkImport(b)
}

// UnfreezeBulkImport allows the upload of parts again, after which a job must read them again.
func UnfreezeBulkImport(c *op.Call) (op.Reply, error) {
	b, err := BulkImportIn(c, world.BulkUploading, world.BulkReady)
	if err != nil {
		return op.Reply{}, err
	}
	b.Frozen, b.Status = false, world.BulkUploading
	c.World.Core.BulkImports.Put(b.ID, b)
	return ReferToBulkImport(b)
}
