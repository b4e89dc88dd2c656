package capture

// format is one way in which tools write recordings: an adapter, in a file of its own.
type format struct {
	name       string // in words, as docs/reference/formats.md has it
	recognises func(h *head) bool
	read       func(in *input, yield func(Record, error) bool) bool // false when yield was
}

// formats returns the adapters in the order in which they are asked. The first one that recognises an input reads it.
func formats() []format {
	return []format{
		{"Kong log", isKong, readKong},
		{"WireMock mapping", isMapping, readMapping},
		{"access log", isAccessLog, readAccessLog},
		{"NDJSON", isNDJSON, readNDJSON},
		{"WireMock mappings", isMappings, lists{"mappings": inJSON(decodeMapping)}.read},
		{"WireMock journal", isJournal, lists{"requests": inJSON(decodeServed)}.read},
		{"Hoverfly simulation", isSimulation, lists{"data.pairs": inJSON(decodePair)}.read},
		{"Postman collection", isPostman, readDocument(draftsOfPostman)},
		{"Insomnia export", isInsomnia, readDocument(draftsOfInsomnia)},
		{"MockServer expectations", isMockServer, lists{"": inJSON(decodeMockServer)}.read},
		{"EasyVCR cassette", isEasyVCR, lists{"": inJSON(decodeEasyVCR)}.read},
		{"JSON list of interactions", isJSONListing, lists{"": decodeJSONInteraction}.read},
		{"YAML list of interactions", isListing, readListing},
		{"httprr trace", isHTTPRR, readHTTPRR},
		{"mitmproxy flows", isFlows, readFlows},
		{"HTTP Archive or JSON cassette", isObject, archives().read},
		{"YAML cassette", isYAML, readCassette},
	}
}

// formatOf returns the format of an input, nil if none recognises it.
func formatOf(h *head) *format {
	for _, f := range formats() {
		if f.recognises(h) {
			return &f
		}
	}
	return nil
}

// isObject is the last resort for JSON: the list of entries may stand behind anything.
func isObject(h *head) bool { return h.begins("{") }

// archives returns the lists that are found wherever they stand in an object.
func archives() lists {
	return lists{
		"log.entries": decodeEntry, interactions: decodeJSONInteraction, httpInteractions: decodeJSONInteraction,
	}
}
