package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/specs/recording"
)

// What schemas and parameters say is judged right by both engines, or by the one that looks: each as one message that
// is right or wrong, in documents of several versions.
func TestKeywordsAndStylesOfSeveralVersions(t *testing.T) {
	t.Parallel()
	v30, v31 := "3.0.3", "3.1.0"
	ans := func(v, schema, answer string) exampleOf {
		return exampleOf{version: v, paths: answers(schema), answer: answer}
	}
	comp := func(v, schema, parts, answer string) exampleOf {
		return exampleOf{version: v, paths: answers(schema), parts: ", components: {schemas: {" + parts + "}}", answer: answer}
	}
	ask := func(v, p, line string, h ...[2]string) exampleOf {
		return exampleOf{version: v, paths: asks(p), line: line, headers: recording.Headers(h)}
	}
	path := func(v, p, line string) exampleOf {
		return exampleOf{version: v, line: line, paths: `{'/x/{p}': {get: {parameters: [{name: p, in: path, required: true, ` + p + `}], responses: {'200': {description: a}}}}}`}
	}
	tree := `Tree: {$dynamicAnchor: node, type: object, properties: {children: {type: array, items: {$dynamicRef: '#node'}}, data: true}}, Strict: {$dynamicAnchor: node, $ref: '#/components/schemas/Tree', unevaluatedProperties: false}`
	treeID := `Tree: {$id: 'https://s.example/tree', $dynamicAnchor: node, type: object, properties: {children: {type: array, items: {$dynamicRef: '#node'}}, data: true}}, Strict: {$id: 'https://s.example/strict', $dynamicAnchor: node, $ref: tree, unevaluatedProperties: false}`
	gen := `List: {$id: 'https://s.example/list', type: array, items: {$dynamicRef: '#T'}, $defs: {T: {$dynamicAnchor: T}}}, Ints: {$id: 'https://s.example/ints', $ref: list, $defs: {T: {$dynamicAnchor: T, type: integer}}}, Strs: {$id: 'https://s.example/strs', $ref: list, $defs: {T: {$dynamicAnchor: T, type: string}}}`
	gen2 := `Map: {$id: 'https://s.example/map', type: object, properties: {k: {$dynamicRef: '#K'}, v: {$dynamicRef: '#V'}}, $defs: {K: {$dynamicAnchor: K}, V: {$dynamicAnchor: V}}}, SI: {$id: 'https://s.example/si', $ref: map, $defs: {K: {$dynamicAnchor: K, type: string}, V: {$dynamicAnchor: V, type: integer}}}`
	petsOne := `Cat: {type: object, required: [kind], properties: {kind: {type: string}, claws: {type: integer}}}, Dog: {type: object, required: [kind], properties: {kind: {type: string}, bark: {type: string}}}`
	disc := `{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind, mapping: {c: '#/components/schemas/Cat', d: Dog}}}`
	discAny := strings.Replace(disc, "oneOf", "anyOf", 1)
	allof := `Pet: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind, mapping: {c: '#/components/schemas/Cat'}}}, Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, required: [claws], properties: {claws: {type: integer}}}]}`
	ro := `{type: object, required: [id, name], properties: {id: {type: string, readOnly: true}, name: {type: string}, pw: {type: string, writeOnly: true}}}`
	wo := `{type: object, required: [pw, name], properties: {name: {type: string}, pw: {type: string, writeOnly: true}}}`
	roReq := func(v, schema, body string) exampleOf {
		return exampleOf{version: v, paths: takes(`{application/json: {schema: ` + schema + `}}`), line: "POST /x", request: body}
	}
	mixed := func(v, content, body string) exampleOf {
		return exampleOf{version: v, paths: takes(content), line: "POST /x", kind: "multipart/mixed; boundary=B", request: body}
	}
	parts := func(ps ...string) string { return "--B\r\n" + strings.Join(ps, "\r\n--B\r\n") + "\r\n--B--\r\n" }
	obj := `{type: object, properties: {a: {type: integer}, b: {type: string}}}`
	arr := `{type: array, items: {type: integer}}`
	list := []struct {
		name    string
		isRight bool
		example exampleOf
	}{
		{"ref own defs", true, ans(v31, `{$defs: {n: {type: integer}}, type: object, properties: {v: {$ref: '#/paths/~1x/get/responses/200/content/application~1json/schema/$defs/n'}}}`, `{"v":1}`)},
		{"ref own defs", false, ans(v31, `{$defs: {n: {type: integer}}, type: object, properties: {v: {$ref: '#/paths/~1x/get/responses/200/content/application~1json/schema/$defs/n'}}}`, `{"v":"a"}`)},
		{"ref comp defs", true, comp(v31, `{$ref: '#/components/schemas/A'}`, `A: {$defs: {n: {type: integer}}, type: object, properties: {v: {$ref: '#/components/schemas/A/$defs/n'}}}`, `{"v":1}`)},
		{"ref comp defs", false, comp(v31, `{$ref: '#/components/schemas/A'}`, `A: {$defs: {n: {type: integer}}, type: object, properties: {v: {$ref: '#/components/schemas/A/$defs/n'}}}`, `{"v":"a"}`)},
		{"ref id defs", false, comp(v31, `{$ref: '#/components/schemas/A'}`, `A: {$id: 'https://s.example/a', $defs: {n: {type: integer}}, type: object, properties: {v: {$ref: '#/$defs/n'}}}`, `{"v":"a"}`)},
		{"ref id defs", true, comp(v31, `{$ref: '#/components/schemas/A'}`, `A: {$id: 'https://s.example/a', $defs: {n: {type: integer}}, type: object, properties: {v: {$ref: '#/$defs/n'}}}`, `{"v":1}`)},
		{"ref with siblings", false, comp(v31, `{$ref: '#/components/schemas/A', maximum: 3}`, `A: {type: integer}`, `5`)},
		{"ref with siblings 3.0 ignored", true, comp(v30, `{$ref: '#/components/schemas/A', maximum: 3}`, `A: {type: integer}`, `5`)},
		{"dyn tree", false, comp(v31, `{$ref: '#/components/schemas/Strict'}`, treeID, `{"children":[{"daat":1}]}`)},
		{"dyn tree", true, comp(v31, `{$ref: '#/components/schemas/Strict'}`, treeID, `{"children":[{"data":1}]}`)},
		{"dyn tree base open", true, comp(v31, `{$ref: '#/components/schemas/Tree'}`, treeID, `{"children":[{"daat":1}]}`)},
		{"dyn tree one resource", true, comp(v31, `{$ref: '#/components/schemas/Strict'}`, tree, `{"children":[{"data":1}]}`)},
		{"dyn ints", false, comp(v31, `{$ref: '#/components/schemas/Ints'}`, gen, `["a"]`)},
		{"dyn ints", true, comp(v31, `{$ref: '#/components/schemas/Ints'}`, gen, `[1]`)},
		{"dyn strs", false, comp(v31, `{$ref: '#/components/schemas/Strs'}`, gen, `[1]`)},
		{"dyn both", true, comp(v31, `{type: object, properties: {i: {$ref: '#/components/schemas/Ints'}, s: {$ref: '#/components/schemas/Strs'}}}`, gen, `{"i":[1],"s":["a"]}`)},
		{"dyn both", false, comp(v31, `{type: object, properties: {i: {$ref: '#/components/schemas/Ints'}, s: {$ref: '#/components/schemas/Strs'}}}`, gen, `{"i":[1],"s":[2]}`)},
		{"dyn two anchors", true, comp(v31, `{$ref: '#/components/schemas/SI'}`, gen2, `{"k":"a","v":1}`)},
		{"dyn two anchors", false, comp(v31, `{$ref: '#/components/schemas/SI'}`, gen2, `{"k":1,"v":1}`)},
		{"dyn two anchors v", false, comp(v31, `{$ref: '#/components/schemas/SI'}`, gen2, `{"k":"a","v":"b"}`)},
		{"mixed unnamed array 3.1", true, mixed(v31, `{multipart/mixed: {schema: {type: array, items: `+obj+`}}}`, parts("Content-Type: application/json\r\n\r\n{\"a\":1}", "Content-Type: application/json\r\n\r\n{\"a\":2}"))},
		{"mixed unnamed array 3.1", false, mixed(v31, `{multipart/mixed: {schema: {type: array, items: `+obj+`}}}`, parts("Content-Type: application/json\r\n\r\n{\"a\":1}", "Content-Type: application/json\r\n\r\n{\"a\":\"x\"}"))},
		{"mixed unnamed prefix 3.2", true, mixed("3.2.0", `{multipart/mixed: {schema: {prefixItems: [{type: object, required: [a]}, {type: string}]}, prefixEncoding: [{contentType: application/json}, {contentType: text/plain}]}}`, parts("Content-Type: application/json\r\n\r\n{\"a\":1}", "Content-Type: text/plain\r\n\r\nhi"))},
		{"mixed unnamed prefix 3.2", false, mixed("3.2.0", `{multipart/mixed: {schema: {type: array, prefixItems: [{type: object, required: [a]}, {type: string}]}, prefixEncoding: [{contentType: application/json}, {contentType: text/plain}]}}`, parts("Content-Type: application/json\r\n\r\n{\"b\":1}", "Content-Type: text/plain\r\n\r\nhi"))},
		{"mixed itemSchema 3.2", false, mixed("3.2.0", `{multipart/mixed: {itemSchema: `+obj+`, itemEncoding: {contentType: application/json}}}`, parts("Content-Type: application/json\r\n\r\n{\"a\":\"x\"}"))},
		{"mixed itemSchema 3.2", true, mixed("3.2.0", `{multipart/mixed: {itemSchema: `+obj+`, itemEncoding: {contentType: application/json}}}`, parts("Content-Type: application/json\r\n\r\n{\"a\":5}"))},
		{"prefix in allOf", true, ans(v31, `{allOf: [{type: array, prefixItems: [{type: integer}]}], unevaluatedItems: false}`, `[1]`)},
		{"prefix in allOf", false, ans(v31, `{allOf: [{type: array, prefixItems: [{type: integer}]}], unevaluatedItems: false}`, `[1,2]`)},
		{"prefix in allOf type", false, ans(v31, `{allOf: [{type: array, prefixItems: [{type: integer}]}], unevaluatedItems: {type: string}}`, `[1,2]`)},
		{"prefix then items", false, ans(v31, `{type: array, prefixItems: [{type: integer}], items: {type: string}}`, `[1,2]`)},
		{"prefix contains uneval", true, ans(v31, `{type: array, prefixItems: [{type: string}], contains: {type: integer}, unevaluatedItems: false}`, `["a",1]`)},
		{"prefix contains uneval", false, ans(v31, `{type: array, prefixItems: [{type: string}], contains: {type: integer}, unevaluatedItems: false}`, `["a",1,"b"]`)},
		{"uneval props allOf", true, ans(v31, `{allOf: [{properties: {a: {type: integer}}}, {properties: {b: {}}}], unevaluatedProperties: false}`, `{"a":1,"b":2}`)},
		{"uneval props allOf", false, ans(v31, `{allOf: [{properties: {a: {type: integer}}}], unevaluatedProperties: false}`, `{"a":1,"b":2}`)},
		{"uneval if then", true, ans(v31, `{properties: {k: {}}, if: {properties: {k: {const: a}}}, then: {properties: {x: {}}}, else: {properties: {y: {}}}, unevaluatedProperties: false}`, `{"k":"a","x":1}`)},
		{"uneval if then", false, ans(v31, `{properties: {k: {}}, if: {properties: {k: {const: a}}}, then: {properties: {x: {}}}, else: {properties: {y: {}}}, unevaluatedProperties: false}`, `{"k":"a","y":1}`)},
		{"uneval in allOf branch", false, ans(v31, `{allOf: [{properties: {a: {}}, unevaluatedProperties: false}], properties: {b: {}}}`, `{"a":1,"b":2}`)},
		{"uneval nested ref", false, comp(v31, `{$ref: '#/components/schemas/A', unevaluatedProperties: false}`, `A: {type: object, properties: {a: {}}}`, `{"a":1,"b":1}`)},
		{"disc map c", true, comp(v30, disc, petsOne, `{"kind":"c","claws":1}`)},
		{"disc map c", false, comp(v30, disc, petsOne, `{"kind":"c","claws":"x"}`)},
		{"disc map name", true, comp(v30, disc, petsOne, `{"kind":"d","bark":"x"}`)},
		{"disc map name", false, comp(v30, disc, petsOne, `{"kind":"d","bark":1}`)},
		{"disc unknown", false, comp(v30, disc, petsOne, `{"kind":"zz","bark":"a"}`)},
		{"disc absent", false, comp(v30, disc, petsOne, `{"bark":"a"}`)},
		{"disc 3.1 c", true, comp(v31, disc, petsOne, `{"kind":"c","claws":1}`)},
		{"disc 3.1 c", false, comp(v31, disc, petsOne, `{"kind":"c","claws":"x"}`)},
		{"disc anyOf", false, comp(v30, discAny, petsOne, `{"kind":"c","claws":"x"}`)},
		{"disc anyOf 3.1", true, comp(v31, discAny, petsOne, `{"kind":"c","claws":1}`)},
		{"disc allOf parent", true, comp(v30, `{$ref: '#/components/schemas/Pet'}`, allof, `{"kind":"c","claws":1}`)},
		{"disc allOf parent, which does not change the outcome", true, comp(v30, `{$ref: '#/components/schemas/Pet'}`, allof, `{"kind":"c"}`)},
		{"ro required req", true, roReq(v30, ro, `{"name":"a"}`)},
		{"ro required answer", false, ans(v30, ro, `{"name":"a"}`)},
		{"ro required answer 3.1", false, ans(v31, ro, `{"name":"a"}`)},
		{"wo required answer", true, ans(v30, wo, `{"name":"a"}`)},
		{"wo required req", false, roReq(v30, wo, `{"name":"a"}`)},
		{"wo required req 3.1", false, roReq(v31, wo, `{"name":"a"}`)},
		{"ro allOf req", true, roReq(v30, `{allOf: [`+ro+`]}`, `{"name":"a"}`)},
		{"ro in items", true, roReq(v30, `{type: array, items: `+ro+`}`, `[{"name":"a"}]`)},
		{"ro in allOf elsewhere", true, roReq(v30, `{allOf: [{type: object, properties: {id: {type: string, readOnly: true}}}, {required: [id]}]}`, `{}`)},
		{"nullable enum", false, ans(v30, `{type: string, nullable: true, enum: [a]}`, `null`)},
		{"nullable enum null", true, ans(v30, `{type: string, nullable: true, enum: [a, null]}`, `null`)},
		{"enum null not nullable", false, ans(v30, `{type: string, enum: [a, null]}`, `null`)},
		{"nullable 3.1 ignored", false, ans(v31, `{type: string, nullable: true}`, `null`)},
		{"type list null", true, ans(v31, `{type: [string, 'null'], enum: [a, null]}`, `null`)},
		{"type list null enum", false, ans(v31, `{type: [string, 'null'], enum: [a]}`, `null`)},
		{"excl bool 3.0", false, ans(v30, `{type: integer, minimum: 3, exclusiveMinimum: true}`, `3`)},
		{"excl bool 3.0", true, ans(v30, `{type: integer, minimum: 3, exclusiveMinimum: true}`, `4`)},
		{"excl num 3.1", false, ans(v31, `{type: integer, exclusiveMinimum: 3}`, `3`)},
		{"excl num 3.1", true, ans(v31, `{type: integer, exclusiveMinimum: 3}`, `4`)},
		{"excl num 3.0", true, ans(v30, `{type: integer, exclusiveMinimum: 3}`, `4`)},
		{"excl bool 3.1", true, ans(v31, `{type: integer, minimum: 3, exclusiveMinimum: true}`, `4`)},
		{"excl max 3.0", false, ans(v30, `{type: number, maximum: 3, exclusiveMaximum: true}`, `3.0`)},
		{"excl max 3.1", false, ans(v31, `{type: number, exclusiveMaximum: 3}`, `3.0`)},
		{"excl both 3.1", false, ans(v31, `{type: number, minimum: 5, exclusiveMinimum: 3}`, `4`)},
		{"deep", true, ask(v30, `{name: q, in: query, style: deepObject, explode: true, schema: `+obj+`}`, "GET /x?q[a]=1&q[b]=x")},
		{"deep", false, ask(v30, `{name: q, in: query, style: deepObject, explode: true, schema: `+obj+`}`, "GET /x?q[a]=y&q[b]=x")},
		{"deep enc", false, ask(v31, `{name: q, in: query, style: deepObject, explode: true, schema: `+obj+`}`, "GET /x?q%5Ba%5D=y")},
		{"deep required", false, ask(v31, `{name: q, in: query, required: true, style: deepObject, explode: true, schema: `+obj+`}`, "GET /x")},
		{"deep req member", false, ask(v31, `{name: q, in: query, style: deepObject, explode: true, schema: {type: object, required: [a], properties: {a: {type: integer}}}}`, "GET /x?q[b]=1")},
		{"pipe", true, ask(v30, `{name: q, in: query, style: pipeDelimited, explode: false, schema: `+arr+`}`, "GET /x?q=1%7C2")},
		{"pipe raw", true, ask(v31, `{name: q, in: query, style: pipeDelimited, explode: false, schema: `+arr+`}`, "GET /x?q=1|2")},
		{"pipe", false, ask(v30, `{name: q, in: query, style: pipeDelimited, explode: false, schema: `+arr+`}`, "GET /x?q=1%7Ca")},
		{"pipe comma", false, ask(v30, `{name: q, in: query, style: pipeDelimited, explode: false, schema: `+arr+`}`, "GET /x?q=1,2")},
		{"pipe object", true, ask(v31, `{name: q, in: query, style: pipeDelimited, explode: false, schema: `+obj+`}`, "GET /x?q=a%7C1%7Cb%7Cx")},
		{"pipe object", false, ask(v31, `{name: q, in: query, style: pipeDelimited, explode: false, schema: `+obj+`}`, "GET /x?q=a%7Cy")},
		{"space", true, ask(v30, `{name: q, in: query, style: spaceDelimited, explode: false, schema: `+arr+`}`, "GET /x?q=1%202")},
		{"space plus", true, ask(v30, `{name: q, in: query, style: spaceDelimited, explode: false, schema: `+arr+`}`, "GET /x?q=1+2")},
		{"space", false, ask(v31, `{name: q, in: query, style: spaceDelimited, explode: false, schema: `+arr+`}`, "GET /x?q=1%20a")},
		{"space object", false, ask(v31, `{name: q, in: query, style: spaceDelimited, explode: false, schema: `+obj+`}`, "GET /x?q=a%20y")},
		{"matrix", true, path(v30, `style: matrix, schema: {type: integer}`, "GET /x/;p=5")},
		{"matrix", false, path(v30, `style: matrix, schema: {type: integer}`, "GET /x/;p=a")},
		{"matrix list", true, path(v31, `style: matrix, schema: `+arr, "GET /x/;p=1,2")},
		{"matrix list expl", true, path(v31, `style: matrix, explode: true, schema: `+arr, "GET /x/;p=1;p=2")},
		{"matrix list expl", false, path(v31, `style: matrix, explode: true, schema: `+arr, "GET /x/;p=1;p=a")},
		{"matrix obj", false, path(v31, `style: matrix, schema: `+obj, "GET /x/;p=a,y")},
		{"matrix obj expl", true, path(v31, `style: matrix, explode: true, schema: `+obj, "GET /x/;a=1;b=x")},
		{"matrix obj expl", false, path(v30, `style: matrix, explode: true, schema: `+obj, "GET /x/;a=y;b=x")},
		{"label", true, path(v30, `style: label, schema: {type: integer}`, "GET /x/.5")},
		{"label", false, path(v30, `style: label, schema: {type: integer}`, "GET /x/.a")},
		{"label list", true, path(v31, `style: label, schema: `+arr, "GET /x/.1,2")},
		{"label list expl", true, path(v31, `style: label, explode: true, schema: `+arr, "GET /x/.1.2")},
		{"label list expl", false, path(v31, `style: label, explode: true, schema: `+arr, "GET /x/.1.a")},
		{"label obj expl", true, path(v31, `style: label, explode: true, schema: `+obj, "GET /x/.a=1.b=x")},
		{"label obj expl", false, path(v31, `style: label, explode: true, schema: `+obj, "GET /x/.a=z.b=x")},
		{"label obj", false, path(v30, `style: label, schema: `+obj, "GET /x/.a,y")},
		{"simple obj", false, path(v30, `schema: `+obj, "GET /x/a,y")},
		{"simple obj expl", true, path(v30, `explode: true, schema: `+obj, "GET /x/a=1,b=y")},
		{"content q", true, ask(v30, `{name: q, in: query, content: {application/json: {schema: `+obj+`}}}`, "GET /x?q=%7B%22a%22:1%7D")},
		{"content q", false, ask(v31, `{name: q, in: query, content: {application/json: {schema: `+obj+`}}}`, "GET /x?q=%7B%22a%22:%22x%22%7D")},
		{"content q nojson", false, ask(v31, `{name: q, in: query, content: {application/json: {schema: `+obj+`}}}`, "GET /x?q=abc")},
		{"content h", false, ask(v31, `{name: X-A, in: header, content: {application/json: {schema: `+obj+`}}}`, "GET /x", [2]string{"X-A", `{"a":"x"}`})},
		{"content h", true, ask(v30, `{name: X-A, in: header, content: {application/json: {schema: `+obj+`}}}`, "GET /x", [2]string{"X-A", `{"a":1}`})},
		{"content path", false, path(v31, `content: {application/json: {schema: `+obj+`}}`, "GET /x/%7B%22a%22:%22x%22%7D")},
		{"content +json", false, ask(v31, `{name: q, in: query, content: {application/vnd.a+json: {schema: `+obj+`}}}`, "GET /x?q=%7B%22a%22:%22x%22%7D")},
		{"header obj", false, ask(v30, `{name: X-A, in: header, schema: `+obj+`}`, "GET /x", [2]string{"X-A", "a,x"})},
		{"header list", false, ask(v30, `{name: X-A, in: header, schema: `+arr+`}`, "GET /x", [2]string{"X-A", "1, a"})},
		{"header list", true, ask(v30, `{name: X-A, in: header, schema: `+arr+`}`, "GET /x", [2]string{"X-A", "1, 2"})},
		{"header two lines", false, ask(v30, `{name: X-A, in: header, schema: `+arr+`}`, "GET /x", [2]string{"X-A", "1"}, [2]string{"X-A", "b"})},
		{"cookie", true, ask(v30, `{name: c, in: cookie, schema: {type: integer}}`, "GET /x", [2]string{"Cookie", "c=1"})},
		{"cookie", false, ask(v31, `{name: c, in: cookie, schema: {type: integer}}`, "GET /x", [2]string{"Cookie", "b=2; c=x"})},
		{"cookie req", false, ask(v31, `{name: c, in: cookie, required: true, schema: {type: integer}}`, "GET /x", [2]string{"Cookie", "b=2"})},
		{"cookie case", false, ask(v31, `{name: c, in: cookie, required: true, schema: {type: integer}}`, "GET /x", [2]string{"Cookie", "C=2"})},
		{"form expl false", false, ask(v31, `{name: q, in: query, explode: false, schema: `+arr+`}`, "GET /x?q=1,a")},
		{"form obj expl false", false, ask(v31, `{name: q, in: query, explode: false, schema: `+obj+`}`, "GET /x?q=a,x")},
		{"allowReserved", true, ask(v30, `{name: q, in: query, allowReserved: true, schema: {type: string}}`, "GET /x?q=a/b:c")},
		{"allowEmpty", true, ask(v30, `{name: q, in: query, allowEmptyValue: true, schema: {type: integer}}`, "GET /x?q=")},
		{"noEmpty", false, ask(v30, `{name: q, in: query, schema: {type: integer}}`, "GET /x?q=")},
	}
	for _, x := range list {
		t.Run(fmt.Sprintf("%s, right: %t", x.name, x.isRight), func(t *testing.T) {
			t.Parallel()
			lines := slices.DeleteFunc(findingLines(x.example.judge(t, false)), func(line string) bool {
				return strings.HasPrefix(line, "notice undeclared-field")
			})
			isWrong := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "error ") })
			isSure := !slices.ContainsFunc(lines, func(line string) bool {
				return strings.Contains(line, "disputed") || strings.HasPrefix(line, "inconclusive")
			})
			if isWrong == x.isRight || !isSure {
				t.Errorf("%q", lines)
			}
		})
	}
}

// 3.1, Schema Object, $schema and jsonSchemaDialect: schemas are judged by their dialect, or not at all.
func TestSchemasAreReadByTheirDialect(t *testing.T) {
	t.Parallel()
	dialect := func(address string) string { return ", jsonSchemaDialect: '" + address + "'" }
	const draft4, draft7, draft2019 = "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2019-09/schema"
	const base, own = "https://spec.openapis.org/oas/3.1/dialect/base", "https://h.example/dialect"
	const at = "/paths/~1x/get/responses/200/content/application~1json/schema"
	unknown := func(place, at string) []string {
		return []string{"inconclusive schema " + place + ": the schema at " + at + " of the document is of a dialect of JSON Schema that is not known"}
	}
	wrong := func(message string) []string { return []string{"error schema /response/body" + message} }
	exclusive := `type: number, maximum: 5, exclusiveMaximum: true}`
	less := wrong(": number must be less than 5")
	integer := `type: integer}`
	no := wrong(": value must be an integer")
	const a = `, components: {schemas: {A: {type: integer}, B: {$schema: '` + base + `', type: integer}}}`
	for name, u := range map[string]exampleOf{
		"limits of draft 4":            {parts: dialect(draft4), paths: answers(`{` + exclusive), answer: `5`, want: less},
		"limits of draft 4, below":     {paths: answers(`{$schema: '` + draft4 + `', ` + exclusive), answer: `5`, want: less},
		"what fits draft 4":            {parts: dialect(draft4), paths: answers(`{` + exclusive), answer: `4`},
		"const, which draft 4 has not": {parts: dialect(draft4), paths: answers(`{const: 1}`), answer: `2`},
		"const of draft 7":             {parts: dialect(draft7), paths: answers(`{const: 1}`), answer: `2`, want: wrong(": value is not the only allowed one")},
		"if of draft 7":                {parts: dialect(draft7), paths: answers(`{if: {type: string}, then: {maxLength: 1}}`), answer: `"ab"`, want: wrong(": maximum string length is 1")},
		"prefixItems, not of draft 7":  {parts: dialect(draft7), paths: answers(`{prefixItems: [{type: integer}]}`), answer: `["a"]`},
		"beside $ref, draft 7":         {parts: dialect(draft7) + a, paths: answers(`{$ref: '#/components/schemas/A', maximum: 1}`), answer: `2`},
		"beside $ref, 2019-09":         {parts: dialect(draft2019) + a, paths: answers(`{$ref: '#/components/schemas/A', maximum: 1}`), answer: `2`, want: wrong(": number must be at most 1")},
		"dependencies of draft 7":      {parts: dialect(draft7), paths: answers(`{dependencies: {a: [b]}}`), answer: `{"a":1}`, want: wrong(`: does not satisfy "dependency a"`)},
		"dependentRequired, 2019-09":   {parts: dialect(draft2019), paths: answers(`{dependentRequired: {a: [b]}}`), answer: `{"a":1}`, want: wrong(`: does not satisfy "dependentRequired a"`)},
		"the dialect of OpenAPI":       {parts: dialect(base), paths: answers(`{` + integer), answer: `"a"`, want: no},
		"of OpenAPI, in a schema":      {paths: answers(`{$schema: '` + base + `', ` + integer), answer: `"a"`, want: no},
		"an unknown one":               {parts: dialect(own), paths: answers(`{` + integer), answer: `"a"`, want: unknown("/response/body", at)},
		"an unknown one in a schema":   {paths: answers(`{$schema: '` + own + `', ` + integer), answer: `"a"`, want: unknown("/response/body", at)},
		"one of several":               {paths: answers(`{oneOf: [{$schema: '` + own + `', ` + integer + `, {type: boolean}]}`), answer: `"a"`, want: unknown("/response/body", at+"/oneOf")},
		"what others say of a value":   {paths: answers(`{type: object, properties: {v: {$schema: '` + own + `', ` + integer + `, w: {` + integer + `}}`), answer: `{"v":"a","w":"b"}`, want: wrong("/w: value must be an integer")},
		"a component of an unknown":    {parts: dialect(own) + a, paths: answers(`{$ref: '#/components/schemas/A'}`), answer: `"a"`, want: unknown("/response/body", "/components/schemas/A")},
		"one with its own dialect":     {parts: dialect(own) + a, paths: answers(`{$ref: '#/components/schemas/B'}`), answer: `"a"`, want: no},
		"of a parameter":               {parts: dialect(own), paths: asks(`{name: q, in: query, schema: {type: integer}}`), line: "GET /x?q=a", want: unknown("/request/body", "/paths/~1x/get/parameters/0/schema")},
		"3.0, which has none":          {version: "3.0.3", parts: dialect(own), paths: answers(`{` + integer), answer: `"a"`, want: no},
	} {
		if u.version == "" {
			u.version = "3.1.0"
		}
		testExamples(t, map[string]exampleOf{name: u})
	}
}

// The format registry of OpenAPI, JSON Schema 2020-12 Validation, 7.3, and what they refer to.
func TestFormatsAreThoseOfTheirRegistries(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][2][]string{ // right ones, and wrong ones
		"uri-reference": {{`"/a?b#c"`, `""`, `"a%20b"`, `"//h.example/a"`}, {`"/a b"`, `"/a{b}"`, `"/ä"`, `"/a\\b"`, `"%zz"`}},
		"iri":           {{`"https://ä.example/ö"`}, {`"/ö"`, `"https://ä.example/ö b"`}},
		"iri-reference": {{`"/ö"`, `""`}, {`"/ö b"`, `"<ö>"`}},
		"uri-template":  {{`"/a/{b}{?c*,d:3}"`, `"{scheme}://h.example:{port}/"`, `"/ä"`}, {`"/a/{b"`, `"/{}"`, `"/a b"`, `"/{a b}"`}},
		"idn-email":     {{`"ä@ö.example"`}, {`"ä"`, `"a b@c.example"`}},
		"idn-hostname":  {{`"ö.example"`, `"a-b.example."`, `"例。テスト"`}, {`"a_b"`, `"-ö"`, `"a..b"`, `""`, `"a b"`}},
		"byte":          {{`"YQ=="`, `""`, `"+/+/"`}, {`"YQ"`, `"YQ="`, `"_-_-"`, `"YQ==\n"`}},
		"base64url":     {{`"YQ"`, `"YQ=="`, `"_-_-"`}, {`"+/+/"`, `"Y"`}},
		"char":          {{`"a"`, `"👩‍👩‍👧"`}, {`""`, `"a long text of more"`}},
		"int8":          {{`127`, `-128`}, {`128`, `-129`}},
		"uint8":         {{`255`, `0`}, {`256`, `-1`}},
		"uint64":        {{`18446744073709551615`}, {`18446744073709551616`, `-1`}},
		"date-time-local": {
			{`"2026-01-02T03:04:05"`, `"2026-01-02T03:04:05.5"`}, {`"2026-01-02T03:04:05Z"`, `"2026-02-30T03:04:05"`},
		},
		"time-local": {{`"03:04:05"`, `"23:59:60"`}, {`"03:04"`, `"03:04:05Z"`}},
		"http-date":  {{`"Sun, 06 Nov 1994 08:49:37 GMT"`}, {`"1994-11-06"`}},
		"period":     {{`"monthly"`}, nil}, // which no registry has
		"semver":     {{`"1"`}, nil},
		"color":      {{`"red"`}, nil},
	} {
		for i, list := range values {
			for _, value := range list {
				kind, what := "string", "string"
				if value[0] != '"' {
					kind, what = "integer", "integer"
				}
				u := exampleOf{version: []string{"3.0.4", "3.1.1"}[len(value)%2], paths: answers(`{type: ` + kind + `, format: ` + name + `}`), answer: value}
				if i == 1 {
					u.want = []string{fmt.Sprintf("error schema /response/body: %s doesn't match the format %q", what, name)}
				}
				testExamples(t, map[string]exampleOf{name + " " + value: u})
			}
		}
	}
}

// 3.0.4, Schema Object: keywords that it does not list are ignored, and so are the schemas below them.
func TestSchemasBelowKeywordsOfLaterVersionsAreIgnored(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"if":                "{if: {required: [a]}, then: {required: [b]}, else: {required: [c]}}",
		"if, of an object":  "{type: object, additionalProperties: true, if: {required: [v]}, then: {properties: {v: {type: string}}}}",
		"dependentSchemas":  "{dependentSchemas: {v: {required: [b]}}}",
		"patternProperties": "{patternProperties: {'^v$': {type: string}}}",
		"propertyNames":     "{propertyNames: {maxLength: 0}}",
		"in a member":       "{properties: {w: {}, v: {if: {type: integer}, then: {minimum: 9}}}}",
		"prefixItems":       "{properties: {v: {}, w: {type: array, items: {}, prefixItems: [{type: string}]}}}",
	} {
		testExamples(t, map[string]exampleOf{name: {paths: answers(schema), answer: `{"v":1,"w":[1]}`}})
	}
	testExamples(t, map[string]exampleOf{"what 3.0 has": {
		paths: answers(`{if: {}, required: [b]}`), answer: `{}`, want: []string{`error schema /response/body/b: property "b" is missing`},
	}})
}
