package llm

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Seed makes what a fixture says of resources, through what serves requests, each kind after those that it may refer
// to. The account and the databases are there already. Errors name what cannot be made.
func Seed(w *world.World, f fixtures.LLM) error {
	s := &seeding{w: w, now: w.Now(), known: map[string]map[string]string{}}
	w.LLM.IndexTime = time.Duration(f.IndexTime)
	plant(s, projectKind, "projects", f.Projects)
	plant(s, textResourceKind, "textResources", f.TextResources)
	plant(s, knowledgeBaseKind, "knowledgeBases", f.KnowledgeBases)
	plant(s, textKnowledgeBaseKind, "textKnowledgeBases", f.TextKnowledgeBases)
	plant(s, datastoreQueryToolKind, "datastoreQueryTools", f.DatastoreQueryTools)
	plant(s, imageGeneratorKind, "imageGenerators", f.ImageGenerators)
	plant(s, presentationArtifactToolKind, "presentationArtifactTools", f.PresentationArtifactTools)
	plant(s, webSearchToolKind, "webSearchTools", f.WebSearchTools)
	plant(s, agentKind, "agents", f.Agents)
	plant(s, promptKind, "prompts", f.Prompts)
	plant(s, integrationKind, "integrations", f.Integrations)
	plant(s, chatInterfaceKind, "chatInterfaces", f.ChatInterfaces)
	plant(s, formInterfaceKind, "formInterfaces", f.FormInterfaces)
	plant(s, agentScheduleKind, "agentSchedules", f.AgentSchedules)
	plant(s, chatKind, "chats", f.Chats)
	plant(s, chatAttachmentKind, "chatAttachments", f.ChatAttachments)
	for i, t := range f.Turns {
		s.check(QueueTurn(w, world.Turn(t)), fmt.Sprintf("turn %d", i+1), "turns", i)
	}
	return errors.Join(s.errs...)
}

// seeding knows the resources by what a fixture calls them.
type seeding struct {
	w     *world.World
	now   time.Time
	known map[string]map[string]string // by collection: from a name or an id to the id
	errs  []error
}

func (s *seeding) check(err error, what string, path ...any) {
	s.errs = append(s.errs, fixtures.At(err, what, append([]any{"llm"}, path...)...))
}

// plant makes the resources of a kind.
func plant[A any](s *seeding, k kind[A], collection string, list []fixtures.LLMResource) {
	s.known[collection] = map[string]string{}
	for i, f := range list {
		what := k.Noun + " " + f.Name()
		if f.Name() == "" {
			what = fmt.Sprintf("%s %d", k.Noun, i+1)
		}
		uuid, err := plantOne(s, k, f)
		s.check(err, what, collection, i)
		s.known[collection][uuid] = uuid
		if _, twice := s.known[collection][f.Name()]; !twice && f.Name() != "" {
			s.known[collection][f.Name()] = uuid // of several with one name, the first is meant
		}
	}
}

func plantOne[A any](s *seeding, k kind[A], f fixtures.LLMResource) (uuid string, err error) {
	c, err := s.call(f, "/api/"+snake(k.Type))
	if err != nil {
		return "", err
	}
	id := s.w.NewID(sequence)
	if uuid = f.ID; uuid == "" {
		uuid = s.w.UUID(sequence, id)
	}
	r := resourceOf[A](c, id, uuid)
	attributes, err := f.Resolve(s.find)
	if err != nil {
		return uuid, err
	}
	sent := map[string]jsontext.Value{}
	if err := json.Unmarshal(attributes, &sent); err != nil {
		return uuid, err
	}
	err = k.fill(c, &r, sent)
	k.Rows(&s.w.LLM).Put(id, r) // in any case: what refers to it has no mistake of its own
	return uuid, err
}

// find is the id that a reference stands for. What is not there is left to the rules to refuse.
func (s *seeding) find(ref string, collections []string) string {
	for _, collection := range collections {
		if uuid, ok := s.known[collection][ref]; ok {
			return uuid
		}
	}
	return ref
}

// call is a creation by a user, who may do everything: what a fixture says was allowed when it happened. Its links have
// the address that the document gives.
func (s *seeding) call(f fixtures.LLMResource, path string) (*op.Call, error) {
	at, err := s.moment(f.CreatedAt)
	if err != nil {
		return nil, err
	}
	document, err := specs.Load("llm", specs.Neutral)
	if err != nil {
		return nil, err
	}
	match := document.Find("POST", path)
	for _, user := range s.w.Account.Users.All() {
		ref := cmp.Or(user.Email, user.Name)
		if f.User == "" && user.Role.Administers() || f.User != "" && ref == f.User {
			user.Role = world.Owner
			return &op.Call{
				World: s.w, Now: at, Match: &match, Operation: match.Operation, Caller: world.Caller{User: user},
				Base: specs.Brand(s.w.Brand).Text(document.T.Servers[0].URL), Header: func(string) string { return "" },
			}, nil
		}
	}
	return nil, fmt.Errorf("there is no user %q", f.User)
}

// moment is when something was made; now if the fixture leaves it open.
func (s *seeding) moment(i fixtures.Instant) (time.Time, error) {
	if i == "" {
		return s.now, nil
	}
	at, err := i.At(s.now)
	if err == nil && at.After(s.now) {
		err = fmt.Errorf("it cannot be made in the future, at %s", at.Format(time.RFC3339))
	}
	return at.UTC(), err
}
