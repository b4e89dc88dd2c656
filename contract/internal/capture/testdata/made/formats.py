#!/usr/bin/env python3
"""Writes the session of vcrpy.json, without the archive, as other tools write it: made/formats.py in this folder's parent."""
import base64, io, json, os, pathlib, sys, zipfile

here = pathlib.Path(__file__).resolve().parent.parent
HOST, KEY = "127.0.0.1:4931", "SVC1 1/admin"
session = []
for i in json.load(open(here / "vcrpy.json"))["interactions"]:
    q, a = i["request"], i["response"]
    headers = {"Host": HOST, "Accept": "*/*", "Authorization": KEY}
    if q["body"]:
        headers |= {"Content-Type": "application/json", "Content-Length": str(len(q["body"].encode()))}
    session.append({
        "method": q["method"], "url": q["uri"], "path": q["uri"].split(HOST)[1], "body": q["body"] or "", "headers": headers,
        "status": a["status"]["code"], "message": a["status"]["message"], "answer": a["body"]["string"],
        "got": {k: v[0] for k, v in a["headers"].items()},
    })


def write(name, text):
    (here / name).parent.mkdir(parents=True, exist_ok=True)
    (here / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def dump(name, value, indent=2):
    write(name, json.dumps(value, indent=indent, ensure_ascii=False) + "\n")


def lists(headers): return {k: [v] for k, v in headers.items()}
def named(headers, text="value"): return [{"name": k, text: v} for k, v in headers.items()]
def keyed(headers): return [{"key": k, "value": v} for k, v in headers.items()]
def content(headers): return {k: v for k, v in headers.items() if k.startswith("Content-")}
def others(headers): return {k: v for k, v in headers.items() if not k.startswith("Content-")}


# EasyVCR for C#, and for Java
dump("easyvcr.json", [{
    "Duration": 12, "RecordedAt": f"2026-01-15T09:30:0{n}.1234567+00:00",
    "Request": {"Body": s["body"], "BodyContentType": "Json" if s["body"] else "Text", "ContentHeaders": content(s["headers"]),
                "Method": s["method"], "RequestHeaders": others(s["headers"]), "Uri": s["url"]},
    "Response": {"Body": s["answer"], "BodyContentType": "Json", "ContentHeaders": content(s["got"]), "HttpVersion": "1.1",
                 "ResponseHeaders": others(s["got"]), "Status": {"Code": s["status"], "Message": s["message"]}},
} for n, s in enumerate(session)])
dump("easyvcr-java.json", [{
    "recordedAt": {"seconds": 1768469400 + n, "nanos": 5000000}, "duration": 12,
    "request": {"body": s["body"], "bodyContentType": "JSON", "headers": lists(s["headers"]), "method": s["method"], "uri": s["url"]},
    "response": {"body": s["answer"], "bodyContentType": "JSON", "headers": lists(s["got"]), "httpVersion": "HTTP/1.1",
                 "status": {"code": s["status"], "message": s["message"]}, "uri": s["url"]},
} for n, s in enumerate(session)])

# php-vcr, YAML as Symfony writes it, and JSON
def quoted(text): return "'" + text.replace("'", "''") + "'"
def block(headers): return "".join(f"            {k}: {quoted(v)}\n" for k, v in headers.items())
php = ""
for n, s in enumerate(session):
    php += f"\n-\n    request:\n        method: {s['method']}\n        url: {quoted(s['url'])}\n        headers:\n{block(s['headers'])}"
    php += f"        body: {quoted(s['body'])}\n" if s["body"] else ""
    php += f"    response:\n        status:\n            http_version: '1.1'\n            code: '{s['status']}'\n            message: {quoted(s['message'])}\n"
    php += f"        headers:\n{block(s['got'])}        body: {quoted(s['answer'])}\n    index: 0\n"
write("phpvcr.yml", php)
dump("phpvcr.json", [{
    "request": {"method": s["method"], "url": s["url"], "headers": s["headers"], "body": s["body"] or None},
    "response": {"status": {"http_version": "1.1", "code": str(s["status"]), "message": s["message"]}, "headers": s["got"], "body": s["answer"]},
    "index": 0,
} for s in session])

# the first versions of VCR.py: a list, and requests as objects of Python
old = ""
for s in session:
    old += f"- request: !!python/object:vcr.request.Request\n    body: {quoted(s['body']) if s['body'] else 'null'}\n"
    old += "    headers: !!python/object/apply:__builtin__.frozenset\n    - - !!python/tuple [Accept, '*/*']\n"
    for k in ("Authorization", "Content-Type"):
        if k in s["headers"]:
            old += f"      - !!python/tuple [{k}, {quoted(s['headers'][k])}]\n"
    old += f"    host: 127.0.0.1\n    method: {s['method']}\n    path: {s['path']}\n    port: 4931\n    protocol: http\n"
    old += f"  response:\n    body: {{string: !!python/unicode {quoted(s['answer'])}}}\n    headers:\n"
    old += "".join(f"      {k.lower()}: [{quoted(v)}]\n" for k, v in s["got"].items())
    old += f"    status: {{code: {s['status']}, message: {s['message']}}}\n"
write("vcrpy-list.yaml", old)
parsed = "interactions:\n"
for s in session:
    parsed += f"- request:\n    headers:\n      authorization: [{quoted(KEY)}]\n" + ("      content-type: [application/json]\n" if s["body"] else "")
    parsed += f"    method: {s['method']}\n" + (f"    parsed_body: {s['body']}\n" if s["body"] else "") + f"    uri: {s['url']}\n"
    parsed += f"  response:\n    headers:\n      content-type: [application/json]\n      content-length: ['{s['got']['Content-Length']}']\n"
    parsed += f"    parsed_body: {s['answer'].replace(':', ': ')}\n    status:\n      code: {s['status']}\n      message: {s['message']}\n"
write("vcrpy-parsed.yaml", parsed + "version: 1\n")

# messages as they are sent
def sent(s, url):
    return f"{s['method']} {url} HTTP/1.1\r\n".encode() + wired(s["headers"]) + s["body"].encode()
def answered(s, chunked=False):
    body, got = s["answer"].encode(), dict(s["got"])
    if chunked:
        del got["Content-Length"]
        got["Transfer-Encoding"] = "chunked"
        body = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (body[:9], body[9:])) + b"0\r\n\r\n"
    return f"HTTP/1.1 {s['status']} {s['message']}\r\n".encode() + wired(got) + body
def wired(headers):
    return "".join(f"{k}: {v}\r\n" for k, v in headers.items()).encode() + b"\r\n"

trace = b"httprr trace v1\n"
for s in session:
    q, a = sent(s, s["url"]), answered(s)
    trace += b"%d %d\n" % (len(q), len(a)) + q + a
write("session.httprr", trace)

saz = io.BytesIO()
with zipfile.ZipFile(saz, "w", zipfile.ZIP_DEFLATED) as z:
    def put(name, data): z.writestr(zipfile.ZipInfo(name, (2026, 1, 15, 9, 30, 0)), data, zipfile.ZIP_DEFLATED)
    put("[Content_Types].xml", '<?xml version="1.0" encoding="utf-8" ?>\r\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="htm" ContentType="text/html" /><Default Extension="xml" ContentType="application/xml" />'
        '<Default Extension="txt" ContentType="text/plain" /></Types>')
    put("_index.htm", "<html><body>the list of sessions</body></html>")
    put("raw/00_c.txt", f"CONNECT {HOST} HTTP/1.1\r\nHost: {HOST}\r\n\r\n")
    put("raw/00_s.txt", "HTTP/1.1 200 Connection Established\r\n\r\n")
    for n, s in reversed(list(enumerate(session, 9))):
        put(f"raw/{n:02d}_c.txt", sent(s, s["url"]))
        put(f"raw/{n:02d}_s.txt", answered(s, chunked=True))
        put(f"raw/{n:02d}_m.xml", '<?xml version="1.0" encoding="utf-8"?>\r\n<Session SID="%d" BitFlags="59">\r\n  <SessionTimers ClientConnected='
            '"2026-01-15T09:30:00.0000000+00:00" ClientBeginRequest="2026-01-15T09:30:%02d.0100000+00:00" ClientDoneResponse='
            '"2026-01-15T09:30:%02d.0200000+00:00" />\r\n  <SessionFlags><SessionFlag N="x-clientport" V="51000" /></SessionFlags>\r\n</Session>' % (n, n, n))
write("fiddler.saz", saz.getvalue())

# mitmproxy
def net(v):
    if v is None: data, kind = b"", b"~"
    elif isinstance(v, bool): data, kind = str(v).lower().encode(), b"!"
    elif isinstance(v, int): data, kind = str(v).encode(), b"#"
    elif isinstance(v, float): data, kind = repr(v).encode(), b"^"
    elif isinstance(v, bytes): data, kind = v, b","
    elif isinstance(v, str): data, kind = v.encode(), b";"
    elif isinstance(v, dict): data, kind = b"".join(net(k) + net(x) for k, x in v.items()), b"}"
    else: data, kind = b"".join(net(x) for x in v), b"]"
    return b"%d:%s%s" % (len(data), data, kind)
def pairs(headers): return [[k.encode(), v.encode()] for k, v in headers.items()]
flows = b""
for n, s in enumerate(session):
    at = 1768469400.5 + n
    flows += net({
        "websocket": None,
        "response": {"http_version": b"HTTP/1.1", "status_code": s["status"], "reason": s["message"].encode(), "headers": pairs(s["got"]),
                     "content": s["answer"].encode(), "trailers": None, "timestamp_start": at + .25, "timestamp_end": at + .5},
        "request": {"host": "127.0.0.1", "port": 4931, "method": s["method"].encode(), "scheme": b"http", "authority": b"",
                    "path": s["path"].encode(), "http_version": b"HTTP/1.1", "headers": pairs(s["headers"]), "content": s["body"].encode(),
                    "trailers": None, "timestamp_start": at, "timestamp_end": at + .125},
        "timestamp_created": at, "comment": "", "metadata": {}, "marked": "", "is_replay": None, "intercepted": False,
        "server_conn": {"address": ["127.0.0.1", 4931], "tls": False}, "client_conn": {"peername": ["127.0.0.1", 51000]},
        "error": None, "id": f"00000000-0000-0000-0000-00000000000{n}", "type": "http", "version": 20,
    })
write("mitmproxy.flows", flows)

# Hoverfly, schema v5 and v1
def exact(text): return [{"matcher": "exact", "value": text}]
meta = {"schemaVersion": "v5.2", "hoverflyVersion": "v1.10.0", "timeExported": "2026-01-15T09:30:00Z"}
dump("hoverfly.json", {"data": {"pairs": [{
    "request": {"path": exact(s["path"]), "method": exact(s["method"]), "destination": exact(HOST), "scheme": exact("http"),
                "body": [{"matcher": "json", "value": s["body"]}] if s["body"] else exact(""),
                "headers": {k: exact(v) for k, v in s["headers"].items() if k in ("Authorization", "Content-Type")}},
    "response": {"status": s["status"], "body": base64.b64encode(s["answer"].encode()).decode() if n == 1 else s["answer"],
                 "encodedBody": n == 1, "headers": lists(s["got"]), "templated": False},
} for n, s in enumerate(session)], "globalActions": {"delays": [], "delaysLogNormal": []}}, "meta": meta})
dump("hoverfly-v1.json", {"data": {"pairs": [{
    "response": {"status": s["status"], "body": s["answer"], "encodedBody": False, "headers": lists(s["got"])},
    "request": {"requestType": "recording", "path": s["path"], "method": s["method"], "destination": HOST, "scheme": "http", "query": "",
                "body": s["body"], "headers": lists(s["headers"])},
} for s in session], "globalActions": {"delays": []}}, "meta": {"schemaVersion": "v1", "hoverflyVersion": "v0.10.0"}})

# WireMock: mappings in files, as one, and the journal
mappings = []
for n, s in enumerate(session):
    m = {"id": f"00000000-0000-0000-0000-00000000000{n}", "name": f"pools_{n}",
         "request": {"url": s["path"], "method": s["method"], "headers": {"Authorization": {"equalTo": KEY}}},
         "response": {"status": s["status"], "headers": s["got"]}, "uuid": f"00000000-0000-0000-0000-00000000000{n}",
         "persistent": True, "insertionIndex": n}
    if s["body"]:
        m["request"]["headers"]["Content-Type"] = {"equalTo": "application/json"}
        m["request"]["bodyPatterns"] = [{"equalToJson": s["body"], "ignoreArrayOrder": True, "ignoreExtraElements": True}]
    if n == 0:
        m["response"]["bodyFileName"] = "pools-list.json"
        write("wiremock/__files/pools-list.json", s["answer"])
    elif n == 1:
        m["response"]["jsonBody"] = json.loads(s["answer"])
    elif n == 2:
        m["response"]["base64Body"] = base64.b64encode(s["answer"].encode()).decode()
    else:
        m["response"]["body"] = s["answer"]
    dump(f"wiremock/mappings/pools-{n}.json", m)
    if n == 0:
        m = m | {"response": m["response"] | {"body": s["answer"]}}
        del m["response"]["bodyFileName"]
    mappings.append(m)
dump("wiremock.json", {"mappings": mappings, "meta": {"total": len(mappings)}})
dump("wiremock-journal.json", {"requests": [{
    "id": f"00000000-0000-0000-0000-00000000000{n}",
    "request": {"url": s["path"], "absoluteUrl": s["url"], "method": s["method"], "clientIp": "127.0.0.1", "headers": s["headers"],
                "cookies": {}, "browserProxyRequest": False, "loggedDate": 1768469400000 + n * 1000,
                "bodyAsBase64": base64.b64encode(s["body"].encode()).decode(), "body": s["body"], "loggedDateString": f"2026-01-15T09:30:0{n}Z"},
    "responseDefinition": {"status": s["status"], "body": s["answer"], "headers": s["got"]},
    "response": {"status": s["status"], "headers": s["got"], "bodyAsBase64": base64.b64encode(s["answer"].encode()).decode(), "body": s["answer"]},
    "wasMatched": True, "timing": {"addedDelay": 0, "processTime": 3, "responseSendTime": 1, "serveTime": 4, "totalTime": 4},
} for n, s in enumerate(session)], "meta": {"total": len(session)}, "requestJournalDisabled": False})

# MockServer: recorded expectations, and requests with responses
dump("mockserver.json", [{
    "httpRequest": {"method": s["method"], "path": s["path"], "headers": lists(s["headers"]), "keepAlive": True, "secure": False}
    | ({"body": {"type": "JSON", "json": json.loads(s["body"]), "rawBytes": ""}} if s["body"] else {}),
    "httpResponse": {"statusCode": s["status"], "reasonPhrase": s["message"], "headers": lists(s["got"]), "body": json.loads(s["answer"])},
    "id": f"0000000{n}", "priority": 0, "timeToLive": {"unlimited": True}, "times": {"remainingTimes": 1},
} for n, s in enumerate(session)])
dump("mockserver-log.json", [{
    "timestamp": f"2026-01-15 09:30:0{n}.123",
    "httpRequest": {"method": s["method"], "path": s["path"], "headers": named(lists(s["headers"]), "values"), "secure": False}
    | ({"body": {"type": "STRING", "string": s["body"], "contentType": "application/json"}} if s["body"] else {}),
    "httpResponse": {"statusCode": s["status"], "headers": named(lists(s["got"]), "values"),
                     "body": {"type": "BINARY", "base64Bytes": base64.b64encode(s["answer"].encode()).decode()}},
} for n, s in enumerate(session)])

# Postman 2.1
def postman(s):
    path = s["path"].replace("/pools/1", "/pools/:id").replace("/pools/4", "/pools/:id")
    url = {"raw": "{{baseUrl}}" + path[len("/workflow"):], "host": ["{{baseUrl}}"], "path": path.split("/")[2:]}
    if ":id" in path:
        url["variable"] = [{"key": "id", "value": s["path"][-1]}]
    request = {"method": s["method"], "header": keyed(content(s["headers"])), "url": url}
    if s["body"]:
        request["body"] = {"mode": "raw", "raw": s["body"], "options": {"raw": {"language": "json"}}}
    return {"name": s["method"], "request": request, "response": [{
        "name": s["message"], "originalRequest": request, "status": s["message"], "code": s["status"], "_postman_previewlanguage": "json",
        "header": keyed(s["got"]), "cookie": [], "body": s["answer"]}]}
dump("postman.json", {
    "info": {"_postman_id": "00000000-0000-0000-0000-000000000000", "name": "pools",
             "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
    "item": [{"name": "pools", "item": [postman(s) for s in session[:2]]}] + [postman(s) for s in session[2:]]
    + [{"name": "never sent", "request": {"method": "GET", "header": [], "url": {"raw": "{{baseUrl}}/api/projects"}}, "response": []}],
    "auth": {"type": "apikey", "apikey": [{"key": "key", "value": "Authorization"}, {"key": "value", "value": KEY}, {"key": "in", "value": "header"}]},
    "variable": [{"key": "host", "value": "http://" + HOST}, {"key": "baseUrl", "value": "{{host}}/workflow"}],
}, indent="\t")

# Insomnia 4
resources = [{"_id": "wrk_1", "_type": "workspace", "name": "pools", "scope": "collection", "parentId": None},
             {"_id": "env_1", "_type": "environment", "parentId": "wrk_1", "name": "Base Environment", "data": {"base": {"url": "http://" + HOST + "/workflow"}}}]
for n, s in enumerate(session):
    resources.append({"_id": f"req_{n}", "_type": "request", "parentId": "wrk_1", "name": s["method"], "method": s["method"],
                      "url": "{{ _.base.url }}" + s["path"][len("/workflow"):], "parameters": [], "authentication": {},
                      "headers": named({k: v for k, v in s["headers"].items() if k in ("Authorization", "Content-Type")}),
                      "body": {"mimeType": "application/json", "text": s["body"]} if s["body"] else {}})
export = {"_type": "export", "__export_format": 4, "__export_date": "2026-01-15T09:30:00.000Z", "__export_source": "insomnia.desktop.app:v2023.5.8"}
dump("insomnia.json", export | {"resources": resources})
dump("insomnia-responses.json", export | {"resources": resources + [{
    "_id": f"res_{n}", "_type": "response", "parentId": f"req_{n}", "created": 1768469400000 + n * 1000, "statusCode": s["status"],
    "statusMessage": s["message"], "headers": named(s["got"]), "elapsedTime": 12.5, "body": s["answer"]} for n, s in enumerate(session)]})

# gateway logs
def log(name, lines): write(name, "".join(json.dumps(l, separators=(",", ":")) + "\n" for l in lines))
log("kong.ndjson", [{
    "latencies": {"proxy": 9, "kong": 2, "request": 12}, "service": {"host": "workflow.internal", "name": "workflow"}, "route": {"paths": ["/workflow"]},
    "request": {"querystring": {}, "size": 120, "uri": s["path"], "url": s["url"], "headers": {k.lower(): v for k, v in s["headers"].items()} | {"authorization": "REDACTED"},
                "method": s["method"]},
    "client_ip": "127.0.0.1", "tries": [{"balancer_latency": 0, "port": 80, "ip": "127.0.0.1"}], "upstream_uri": s["path"],
    "response": {"headers": {k.lower(): v for k, v in s["got"].items()}, "status": s["status"], "size": 300}, "started_at": 1768469400000 + n * 1000,
} for n, s in enumerate(session)])
log("nginx.ndjson", [{
    "time_iso8601": f"2026-01-15T09:30:0{n}+00:00", "remote_addr": "127.0.0.1", "scheme": "http", "host": HOST, "request_method": s["method"],
    "request_uri": s["path"], "status": str(s["status"]), "body_bytes_sent": "200", "request_time": "0.012", "http_user_agent": "python-requests/2.28.1",
    "http_referer": "-", "sent_http_content_type": "application/json",
} for n, s in enumerate(session)])
log("apache.ndjson", [{
    "time": f"[15/Jan/2026:09:30:0{n} +0000]", "remoteIP": "127.0.0.1", "host": HOST, "request": f"{s['method']} {s['path']} HTTP/1.1", "query": "",
    "method": s["method"], "status": str(s["status"]), "userAgent": "python-requests/2.28.1", "referer": "-",
} for n, s in enumerate(session)])
