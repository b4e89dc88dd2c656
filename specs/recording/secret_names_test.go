package recording_test

import (
	"testing"

	"svc.example/understudy/specs/recording"
)

func TestNamesOfSecrets(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"key_api", "limit", "paid", "design", "monkey", "keyboard", "max_tokens", "token_count", "secretary", "id", "key",
		"", "[]", "compass", "signal", "client_id", "key_id",
	} {
		if recording.IsSecret(name) {
			t.Errorf("%q is a secret", name)
		}
	}
	for _, name := range []string{
		"write_key", "X-Write-Key", "writeKey", "svcWriteKey", "apikey", "api_key", "API-KEY", "myApiKey", "myAPIKey",
		"access_key", "accessKey", "private-key", "privateKey", "clientPrivateKey", "access_key_id", "aws.accessKeyId",
		"token", "access_token", "refreshtoken", "X-Auth-Token", "botToken", "passwd", "password", "db.password",
		"dbPassword", "settings[dbPassword]", "settings[password][]", "passphrase", "keyPassphrase", "secret",
		"client_secret", "clientsecret", "clientSecret", "sig", "X-Sig", "signature", "ſig", "pa\u017f\u017fword",
		"api_\u212aey",
	} {
		if !recording.IsSecret(name) {
			t.Errorf("%q is no secret", name)
		}
	}
}
