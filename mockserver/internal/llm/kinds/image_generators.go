package kinds

import (
	"errors"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// ImageGenerators is the kind of image generators.
var ImageGenerators = jsonapi.NewKind(jsonapi.KindOf[world.ImageGenerator]{
	Type: "imageGenerators", Noun: "image generator",
	Set: setImageGenerator,
})

// imageReturnID is the only known return mode (public).
const imageReturnID = "ID"

// IsNullReturnMode reports whether an error of the document's schema is about a return mode that is null. That does not
// count as blank but as unknown (public).
func IsNullReturnMode(e *op.Error) bool {
	return e.Field == jsonapi.AttributesField+".imageReturnMode" && e.Reason == "nullable"
}

func setImageGenerator(c *op.Call, before, after *world.Resource[world.ImageGenerator]) error {
	a := after.Attributes
	errs := []error{RequireProjectAndName(c, a.ProjectID, a.Name)}
	// One that went out of use may stay (assumed).
	if before == nil || before.Attributes.ImageModelType != a.ImageModelType {
		errs = append(errs, requireModel("imageModelType", a.ImageModelType, imageModels()))
	}
	if a.ImageReturnMode != imageReturnID {
		errs = append(errs, jsonapi.Unprocessable("imageReturnMode", jsonapi.InvalidFormat, "want %s, not %q",
			imageReturnID, a.ImageReturnMode))
	}
	return errors.Join(errs...)
}
