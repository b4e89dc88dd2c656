import sys, vcr, requests
serializer, path = sys.argv[1], sys.argv[2]
B = "http://127.0.0.1:4931/workflow/api"
H = {"Authorization": "SVC1 1/admin"}
binary = serializer == "yaml"
with vcr.use_cassette(path, serializer=serializer, record_mode="all", filter_headers=[("authorization", "REDACTED")] if not binary else []):
    requests.get(B + "/pools", headers=H)
    requests.post(B + "/pools", headers=H, json={"name": "nächtlich", "concurrencyLimit": 2})
    if binary:
        requests.get(B + "/projects/1/archive", headers=H)
    requests.delete(B + "/pools/1", headers=H)
    requests.delete(B + "/pools/4", headers=H)
