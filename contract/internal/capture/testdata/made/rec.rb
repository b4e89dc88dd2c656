require "vcr"; require "webmock"; require "net/http"; require "json"
serializer, name, preserve = ARGV
VCR.configure { |c| c.cassette_library_dir = "."; c.hook_into :webmock
  c.preserve_exact_body_bytes { |m| m.body.encoding.name == "ASCII-8BIT" || !m.body.valid_encoding? } if preserve
  c.filter_sensitive_data("<KEY>") { "1/admin" } if serializer == "json" }
B = "http://127.0.0.1:4931/workflow/api"
def ask(kind, path, body = nil)
  uri = URI(B + path)
  r = kind.new(uri, "Authorization" => "SVC1 1/admin", "Content-Type" => "application/json")
  r.body = body if body
  Net::HTTP.start(uri.host, uri.port) { |h| h.request(r) }
end
VCR.use_cassette(name, serialize_with: serializer.to_sym, record: :all) do
  ask(Net::HTTP::Get, "/pools")
  ask(Net::HTTP::Post, "/pools", JSON.dump({"name" => "nächtlich", "concurrencyLimit" => 2}))
  ask(Net::HTTP::Get, "/projects/1/archive") if serializer == "yaml"
  ask(Net::HTTP::Delete, "/pools/1")
  ask(Net::HTTP::Delete, "/pools/4")
end
