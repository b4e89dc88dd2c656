// Package format reads the forms in which tools record traffic: HTTP Archives 1.2 as browsers, proxies and test tools
// write them, our own NDJSON, cassettes, and the recordings of other tools.
//
// Each format has an adapter, which function formats lists: it recognises an input by how it begins, and yields
// records, whose decoder makes a draft of what the tool wrote, and an item of the draft. To add a format, write such a
// file, add it there, and add a recording to the tests.
//
// Recordings come from many tools and from killed processes, so reading is forgiving where nothing is lost by it (byte
// order marks, invalid numbers, pseudo headers) and exact about what was lost (bodies left out or damaged, a file cut
// short).
package format

import (
	"errors"

	"svc.example/understudy/contract/internal/capture/record"
)

// Format is one way in which tools write recordings: an adapter, in a file of its own.
type Format struct {
	name       string // in words, as docs/reference/formats.md has it
	recognises func(h *record.Head) bool
	Read       func(in *record.Input, yield func(record.Raw, error) bool) bool // false when yield was
}

// formats returns the adapters in the order in which they are asked. The first one that recognises an input reads it.
func formats() []Format {
	return []Format{
		{"Kong log", isKong, readKong},
		{"WireMock mapping", isMapping, readMapping},
		{"access log", isAccessLog, readAccessLog},
		{"journal of a mock", isOwnJournal, jsonLists{"entries": decodeLine}.read},
		{"NDJSON", IsNDJSON, readNDJSON},
		{"WireMock mappings", isMappings, jsonLists{"mappings": inJSON(decodeMapping)}.read},
		{"WireMock journal", isJournal, jsonLists{"requests": inJSON(decodeServed)}.read},
		{"Hoverfly simulation", isSimulation, jsonLists{"data.pairs": inJSON(decodePair)}.read},
		{"Postman collection", isPostman, readDocument(draftsOfPostman)},
		{"Charles session", isCharles, refuse("it is a session of Charles in JSON: export it as an HTTP Archive (.har)")},
		{"Pact", isPact, refuse("it is a Pact, which has examples of exchanges and no recorded ones: " +
			"record the exchanges of its tests, for example as an HTTP Archive")},
		{"Insomnia export", isInsomnia, readDocument(draftsOfInsomnia)},
		{"MockServer expectations", isMockServer, jsonLists{"": inJSON(decodeMockServer)}.read},
		{"EasyVCR cassette", isEasyVCR, jsonLists{"": inJSON(decodeEasyVCR)}.read},
		{"JSON list of interactions", isJSONListing, jsonLists{"": decodeJSONInteraction}.read},
		{"YAML list of interactions", isListing, readListing},
		{"httprr trace", isHTTPRR, readHTTPRR},
		{"mitmproxy flows", isFlows, readFlows},
		{"HTTP Archive or JSON cassette", isObject, archives().read},
		{"YAML cassette", isYAML, readCassette},
	}
}

// Of returns the format of an input, nil if none recognises it.
func Of(h *record.Head) *Format {
	for _, f := range formats() {
		if f.recognises(h) {
			return &f
		}
	}
	return nil
}

// isCharles recognises sessions that Charles has saved in JSON.
func isCharles(h *record.Head) bool { return h.Begins("[") && h.Has("/0/request", "/0/actualPort") }

// isPact recognises contracts between a consumer and a provider.
func isPact(h *record.Head) bool {
	return h.Has("/consumer", "/provider") && h.HasAny("/interactions", "/messages")
}

// refuse reads nothing, and says why.
func refuse(reason string) func(in *record.Input, yield func(record.Raw, error) bool) bool {
	return func(in *record.Input, yield func(record.Raw, error) bool) bool {
		return yield(record.Raw{}, in.Problem(record.NoRecording, errors.New(reason)))
	}
}

// isObject is the last resort for JSON: the list of entries may stand behind anything.
func isObject(h *record.Head) bool { return h.Begins("{") }

// archives returns the lists that are found wherever they stand in an object.
func archives() jsonLists {
	return jsonLists{
		"log.entries": decodeEntry, interactions: decodeJSONInteraction, httpInteractions: decodeJSONInteraction,
	}
}
