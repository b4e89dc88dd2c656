package checkflags

import (
	"github.com/spf13/pflag"

	"svc.example/understudy/specs"
)

// AllExtras is the value of --extras that includes them.
const AllExtras = "all"

// Recording are the flags that say what is in a recording, and where.
type Recording struct {
	Bases    Pairs
	Rewrites Rewrites
	Specs    Pairs
	Extras   Choice
	Guess    bool
	Brand    string

	only         []string
	ignoredHosts []string
	ignoredPaths []string
}

// Add adds the flags to those of a command.
func (r *Recording) Add(flags *pflag.FlagSet) {
	r.Bases = Pairs{What: "URL", Many: true}
	flags.Var(&r.Bases, "base", "the base address of an interface in the recording (repeatable)")
	r.Rewrites.Add(flags)
	flags.BoolVar(&r.Guess, "guess", true, "guess the addresses of interfaces without --base")
	AddSpecs(flags, &r.Specs)
	flags.StringSliceVar(&r.only, "interfaces", nil,
		"judge and count only these interfaces, a list of `NAMES` such as shop,core (default: all)")
	AddExtras(flags, &r.Extras)
	flags.StringArrayVar(&r.ignoredHosts, "ignore-host", nil,
		"ignore exchanges with hosts like `PATTERN`, such as *.cdn.example.com (repeatable)")
	flags.StringArrayVar(&r.ignoredPaths, "ignore-path", nil,
		"ignore exchanges with paths like `PATTERN`, such as /assets/** (repeatable)")
	AddBrand(flags, &r.Brand)
}

// Documents returns the documents that the flags give.
func (r *Recording) Documents() (*specs.Set, error) { return r.Specs.Documents(r.only, r.Brand) }

// AddSpecs adds the flags with the user's documents, and with what changes them.
func AddSpecs(flags *pflag.FlagSet, value *Pairs) {
	*value = Pairs{What: "FILE"}
	flags.Var(value, "spec", "an OpenAPI document of your own: of a new interface, as in shop=openapi.yaml, or in place\n"+
		"of one of the platform's (repeatable)")
	flags.Var(overlays{value}, "overlay",
		"change a document by an OpenAPI Overlay 1.0, `[NAME=]FILE`: that of an interface, as in\n"+
			"shop=resources.yaml, or else the only one of --spec (repeatable)")
}

// AddExtras adds the flag that chooses among the extras.
func AddExtras(flags *pflag.FlagSet, value *Choice) {
	*value = ChoiceOf(AllExtras, "none")
	flags.Var(value, "extras", "which of the extras, which clients call beside the documented operations, to include")
}

// AddBrand adds the flag with the brand.
func AddBrand(flags *pflag.FlagSet, word *string) {
	flags.StringVar(word, "brand", string(specs.Neutral), "the `WORD` that exact identifiers carry, as in SVC1")
}

// Options returns the options that the flags describe.
func (r *Recording) Options() (Options, error) {
	if _, err := specs.ParseBrand(r.Brand); err != nil {
		return Options{}, err
	}
	return Options{
		Brand: r.Brand, Guess: r.Guess, NoExtras: r.Extras.Word != AllExtras, IgnoredHosts: r.ignoredHosts,
		IgnoredPaths: r.ignoredPaths, Bases: r.Bases.List, Rewrites: r.Rewrites.list,
		Specs: r.Specs.List, Overlays: r.Specs.Overlays,
		Only: r.only,
	}, nil
}

// Files lists the recordings and the documents that are read.
func (r *Recording) Files(recordings []string) (read []File) {
	for _, path := range recordings {
		read = append(read, File{path, "the recording " + path})
	}
	return append(read, r.Specs.Files()...)
}
