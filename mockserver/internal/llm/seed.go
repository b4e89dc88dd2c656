package llm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/llm/chat"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/llm/knowledge"
	"svc.example/understudy/mockserver/internal/llm/schedule"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/seed"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Seed creates the resources that a fixture describes, through the handlers of requests, each kind after those that it
// may refer to. The account and the databases exist already. Errors name what cannot be created.
func Seed(w *world.State, f fixtures.LLM) error {
	s := &seeding{seed.Context{World: w, Part: "llm"}, map[string]map[string]string{}}
	w.LLM.IndexTime = time.Duration(f.IndexTime)
	for _, list := range f.Resources {
		for _, r := range list {
			w.LLM.UUIDs.Put(r.ID, reserved)
		}
	}
	w.LLM.UUIDs.Delete("")
	for _, k := range storedKinds() {
		s.seedKind(k, f)
	}
	for _, collection := range slices.Sorted(maps.Keys(f.Resources)) {
		if s.known[collection] == nil && len(f.Resources[collection]) > 0 {
			s.Add(fmt.Errorf("%s of the section llm cannot be created", collection))
		}
	}
	for i, t := range f.Turns {
		s.Check(chat.QueueTurn(w, world.Turn(t)), fmt.Sprintf("turn %d", i+1), "turns", i)
	}
	return s.Err()
}

// reserved is the id behind a UUID that the fixture gives a resource which is still to be made.
const reserved = -1

// storedKinds returns the kinds that fixtures create and that relations lead to, each after those that it may refer to.
func storedKinds() []*jsonapi.Kind {
	return []*jsonapi.Kind{
		kinds.Projects, kinds.WorkflowExecutors, kinds.TextResources, knowledge.KnowledgeBases, knowledge.TextKnowledgeBases,
		knowledge.DatastoreQueryTools, kinds.ImageGenerators,
		kinds.PresentationArtifactTools, kinds.WebSearchTools, kinds.Agents, kinds.Prompts, kinds.Integrations, kinds.Actions,
		kinds.ChatInterfaces, kinds.FormInterfaces,
		schedule.AgentSchedules, chat.Chats, chat.ChatAttachments, chat.Artifacts,
	}
}

// seeding maps the names that a fixture uses to the ids of the resources.
type seeding struct {
	seed.Context
	known map[string]map[string]string // by collection: from a name or an id to the id
}

// seedKind creates the resources of a kind.
func (s *seeding) seedKind(k *jsonapi.Kind, all fixtures.LLM) {
	collection := k.Type
	s.known[collection] = map[string]string{}
	for i, f := range all.Resources[collection] {
		what := k.Noun + " " + f.Name()
		if f.Name() == "" {
			what = fmt.Sprintf("%s %d", k.Noun, i+1)
		}
		uuid, err := s.seedResource(k, f)
		s.Check(err, what, collection, i)
		s.known[collection][uuid] = uuid
		if _, twice := s.known[collection][f.Name()]; !twice && f.Name() != "" {
			s.known[collection][f.Name()] = uuid // of several with the same name, references mean the first
		}
	}
}

func (s *seeding) seedResource(k *jsonapi.Kind, f fixtures.LLMResource) (uuid string, err error) {
	c, err := s.call(f, "/api/"+jsonapi.Snake(k.Type))
	if err != nil {
		return "", err
	}
	attributes, err := f.Resolve(s.find)
	if err != nil {
		return f.ID, err
	}
	sent := map[string]jsontext.Value{}
	if err := json.Unmarshal(attributes, &sent); err != nil {
		return f.ID, err
	}
	if made, err := s.madeByServer(k, f, sent); made != nil || err != nil {
		return s.adopt(c, k, f, made, err)
	}
	id := s.World.NewID(jsonapi.Sequence)
	if uuid = f.ID; uuid == "" {
		uuid = jsonapi.NewUUID(s.World, id)
	}
	row := k.Rows(s.World).New()
	head, _ := world.Parts(row)
	*head = jsonapi.NewHead(c, id, uuid)
	err = errors.Join(k.Fill(c, row, sent), s.complete(k, f, row))
	k.Rows(s.World).Put(id, row) // in any case, so that references to it cause no further errors
	return uuid, err
}

// find returns the id of the resource that a reference names. The handlers refuse an unknown reference.
func (s *seeding) find(ref, collection string) string { return cmp.Or(s.known[collection][ref], ref) }

// call returns a call that creates a resource as a user with all rights: a fixture describes what was allowed at its
// time. Links in its answer have the address of the document.
func (s *seeding) call(f fixtures.LLMResource, path string) (*op.Call, error) {
	at, err := s.Past(f.CreatedAt, s.World.Now())
	if err != nil {
		return nil, err
	}
	user, err := s.User(f.User)
	if err != nil {
		return nil, err
	}
	document, err := specs.Load("llm", specs.Neutral)
	if err != nil {
		return nil, err
	}
	match := document.Find("POST", path)
	user.Role = world.Owner
	return &op.Call{
		World: s.World, Now: at, Match: &match, Operation: match.Operation, Caller: world.Caller{User: user},
		Base: specs.Brand(s.World.Brand).Text(document.T.Servers[0].URL), Header: func(string) string { return "" },
	}, nil
}
