package llm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/llm/chat"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/llm/knowledge"
	"svc.example/understudy/mockserver/internal/llm/schedule"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/seed"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Seed creates the resources that a fixture describes, through the handlers of requests, each kind after those that it
// may refer to. The account and the databases exist already. Errors name what cannot be created.
func Seed(w *world.State, f fixtures.LLM) error {
	s := &seeding{seed.Context{World: w, Part: "llm"}, map[string]map[string]string{}, map[string]map[belonging]int64{}}
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
	known map[string]map[string]string   // by collection: from a name or an id to the id
	made  map[string]map[belonging]int64 // by collection: what the server has made along with others, by what that is
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

// madeByServer returns the resource that the server has made along with another one, and that the fixture describes:
// an action, a workflow executor, or the managed text of a project. It is nil if a client makes such a resource.
func (s *seeding) madeByServer(k *jsonapi.Kind, f fixtures.LLMResource, sent map[string]jsontext.Value) (any, error) {
	text := func(name string) string { return jsontree.Parse(sent[name]).Text() }
	var belongs belonging
	var missing error
	switch k {
	case kinds.Actions:
		belongs = belonging{text("integrationId"), text("promptId")}
		missing = errors.New("the integration has no action with this prompt: want it among its actions")
	case kinds.WorkflowExecutors:
		belongs = belonging{text("projectId")}
		missing = errors.New("the project has no workflow executor: want useWorkflowExecutor: true in its attributes")
	case knowledge.TextKnowledgeBases:
		if jsontree.Find(f.ServerAttributes, "isManaged").Raw() != "true" {
			return nil, nil
		}
		belongs = belonging{text("projectId")}
	default:
		return nil, nil
	}
	if id, ok := s.madeWithAnother(k)[belongs]; ok {
		return resource.Copy(k.Rows(s.World).Get(id)), nil
	}
	return nil, missing
}

// belonging identifies a resource that the server has made by the ids of what it belongs to.
type belonging [2]string

// madeWithAnother returns the ids of the resources of a kind that the server has made along with others.
func (s *seeding) madeWithAnother(k *jsonapi.Kind) map[belonging]int64 {
	if made, known := s.made[k.Type]; known {
		return made
	}
	made := map[belonging]int64{}
	for id, row := range k.Rows(s.World).Before(math.MaxInt64) { // of several, the first is the last that is kept
		switch r := row.(type) {
		case *world.Resource[world.Action]:
			made[belonging{r.Attributes.IntegrationID, r.Attributes.PromptID}] = id
		case *world.Resource[world.WorkflowExecutor]:
			made[belonging{r.Attributes.ProjectID}] = id
		case *world.Resource[world.TextKnowledgeBase]:
			if r.Attributes.IsManaged {
				made[belonging{r.Attributes.ProjectID}] = id
			}
		}
	}
	s.made[k.Type] = made
	return made
}

// adopt gives a resource that the server has made what the fixture says of it.
func (s *seeding) adopt(c *op.Call, k *jsonapi.Kind, f fixtures.LLMResource, row any, err error) (string, error) {
	if err != nil {
		return f.ID, err
	}
	head, _ := world.Parts(row)
	if f.ID != "" {
		s.World.LLM.UUIDs.Delete(head.UUID)
		head.UUID = f.ID
	}
	*head = jsonapi.NewHead(c, head.ID, head.UUID)
	var named map[string]jsontext.Value
	if err := json.Unmarshal(f.Attributes, &named); err != nil {
		return head.UUID, err
	}
	for attribute := range named {
		if attribute != "name" && attribute != "text" { // the others follow from the resource that it belongs to
			delete(named, attribute)
		}
	}
	err = errors.Join(k.Own(row, named), s.complete(k, f, row))
	k.Rows(s.World).Put(head.ID, row)
	return head.UUID, err
}

// complete gives a resource what does not follow from its creation.
func (s *seeding) complete(k *jsonapi.Kind, f fixtures.LLMResource, row any) error {
	head, _ := world.Parts(row)
	base, indexed := row.(*world.Resource[world.KnowledgeBase])
	if indexed {
		s.World.Cancel(s.World.LLM.IndexEnd(*base))
	}
	if chat, ok := row.(*world.Resource[world.Chat]); ok && len(f.History) > 0 {
		if err := s.history(chat, f.History); err != nil {
			return err
		}
	}
	if artifact, ok := row.(*world.Resource[world.Artifact]); ok {
		s.artifact(&artifact.Attributes)
	}
	var err error
	if head.UpdatedAt, err = s.Past(f.UpdatedAt, head.UpdatedAt); err != nil {
		return fixtures.At(err, "updatedAt", "updatedAt")
	}
	if f.UpdatedBy != "" {
		user, err := s.User(f.UpdatedBy)
		if err != nil {
			return fixtures.At(err, "updatedBy", "updatedBy")
		}
		head.UpdatedBy = user.ID
	}
	if err := s.own(k, f, row); err != nil {
		return fixtures.At(err, "serverAttributes", "serverAttributes")
	}
	if indexed && base.Attributes.Indexing() {
		s.World.Plan(s.World.LLM.IndexEnd(*base))
	}
	return nil
}

func (s *seeding) own(k *jsonapi.Kind, f fixtures.LLMResource, row any) error {
	if len(f.ServerAttributes) == 0 {
		return nil
	}
	own := map[string]jsontext.Value{}
	if err := json.Unmarshal(f.ServerAttributes, &own); err != nil {
		return err
	}
	if err := k.Own(row, own); err != nil {
		return err
	}
	if a, ok := row.(*world.Resource[world.ChatAttachment]); ok {
		s.World.Reserve(chat.AttachmentIndexes(a.Attributes.ChatID), int64(a.Attributes.AttachmentIndex))
	}
	return nil
}

// history stores what was said and done in a chat.
func (s *seeding) history(c *world.Resource[world.Chat], list []fixtures.ChatEntry) error {
	var entries []world.ChatEntry
	for i, f := range list {
		at, err := s.Past(f.At, c.CreatedAt)
		if err == nil && at.Before(c.UpdatedAt) {
			err = fmt.Errorf("%s is before the entry before it, or before the chat", at.Format(time.RFC3339))
		}
		if err != nil {
			return fixtures.At(err, fmt.Sprintf("entry %d of the history", i+1), "history", i, "at")
		}
		if c.UpdatedAt = at; f.Input != nil && c.Attributes.FirstInputContent == nil {
			c.Attributes.FirstInputContent = f.Input
		}
		entries = append(entries, world.ChatEntry{
			Input: f.Input, Content: f.Content, Tool: f.Tool, Output: f.Output, Artifact: f.Artifact,
			Reasoning: f.Reasoning, Error: f.Error, At: op.Instant(at),
		})
	}
	c.Attributes.LastConversationAt = jsonapi.Millis(c.UpdatedAt)
	s.World.LLM.Histories.Put(c.ID, entries)
	return nil
}

// artifact gives an artifact the project and the interfaces of its chat, unless the fixture has others.
func (s *seeding) artifact(a *world.Artifact) {
	from, _ := jsonapi.Find(s.World, a.ChatID, &s.World.LLM.Chats)
	a.ProjectID = cmp.Or(a.ProjectID, from.Attributes.ProjectID)
	a.FormInterfaceID = cmp.Or(a.FormInterfaceID, from.Attributes.FormInterfaceID)
	a.ChatInterfaceID = cmp.Or(a.ChatInterfaceID, from.Attributes.ChatInterfaceID)
}
