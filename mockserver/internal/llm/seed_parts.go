package llm

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/llm/chat"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/llm/knowledge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// madeByServer returns the resource that the server has made along with another one, and that the fixture describes:
// an action, a workflow executor, or the managed text of a project. It is nil if a client makes such a resource.
func (s *seeding) madeByServer(k *jsonapi.Kind, f fixtures.LLMResource, sent map[string]jsontext.Value) (any, error) {
	text := func(name string) (value string) {
		_ = json.Unmarshal(sent[name], &value) // the document has refused another kind of value
		return value
	}
	switch k {
	case kinds.Actions:
		for _, a := range table.All(&s.World.LLM.Actions) {
			if a.Attributes.IntegrationID == text("integrationId") && a.Attributes.PromptID == text("promptId") {
				return resource.Copy(&a), nil
			}
		}
		return nil, errors.New("the integration has no action with this prompt: want it among its actions")
	case kinds.WorkflowExecutors:
		for _, x := range table.All(&s.World.LLM.WorkflowExecutors) {
			if x.Attributes.ProjectID == text("projectId") {
				return resource.Copy(&x), nil
			}
		}
		return nil, errors.New("the project has no workflow executor: want useWorkflowExecutor: true in its attributes")
	case knowledge.TextKnowledgeBases:
		var own struct {
			IsManaged bool `json:"isManaged"`
		}
		if len(f.ServerAttributes) > 0 {
			_ = json.Unmarshal(f.ServerAttributes, &own)
		}
		for _, t := range table.All(&s.World.LLM.TextKnowledgeBases) {
			if own.IsManaged && t.Attributes.IsManaged && t.Attributes.ProjectID == text("projectId") {
				return resource.Copy(&t), nil
			}
		}
	}
	return nil, nil
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
	if a.ProjectID == "" {
		a.ProjectID = from.Attributes.ProjectID
	}
	if a.FormInterfaceID == nil {
		a.FormInterfaceID = from.Attributes.FormInterfaceID
	}
	if a.ChatInterfaceID == nil {
		a.ChatInterfaceID = from.Attributes.ChatInterfaceID
	}
}
