import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Pattern;

/** A client of the platform, as a team might have it: it issues a query, and sends one that got 503 again. */
class Reports {
    private static final Pattern JOB_ID = Pattern.compile("\"job_id\":\"(\\d+)\"");

    private final HttpClient client = HttpClient.newHttpClient();
    private final String url;
    private final String key;

    /** The url is the base address of the interface core, such as http://127.0.0.1:4010/core/v3. */
    Reports(String url, String key) {
        this.url = url;
        this.key = key;
    }

    /** Returns the id of the job. */
    String issue(String query, int attempts) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url + "/job/issue/trino/shop"))
            .header("Authorization", "SVC1 " + key).header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"query\":\"" + query + "\"}")).build();
        for (int attempt = 1; ; attempt++) {
            var response = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == 200) {
                var id = JOB_ID.matcher(response.body());
                if (id.find()) {
                    return id.group(1);
                }
            }
            if (response.statusCode() != 503 || attempt == attempts) {
                throw new IOException("core answered " + response.statusCode());
            }
            Thread.sleep(1000 * response.headers().firstValueAsLong("Retry-After").orElse(1));
        }
    }
}
