import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Pattern;

/** One mock for all tests. */
class Mock implements AutoCloseable {
    private final Process process;
    private final String ready;

    Mock() throws IOException {
        process = new ProcessBuilder("understudy", "serve", "--listen", "127.0.0.1:0", "--log-level", "warn")
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        ready = process.inputReader().readLine(); // comes when the mock can answer
    }

    World world() throws IOException, InterruptedException {
        var control = text(ready, "control") + "/worlds";
        var made = call(control, "{\"scenario\":\"quickstart\",\"mintKeys\":true}");
        // A client with this key is in this world.
        return new World(text(ready, "core"), text(made, "admin"), control + "/" + text(made, "id"));
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }

    /** A world for one test, which sees nothing of what others do. */
    record World(String core, String key, String control) {
        void fault(String json) throws IOException, InterruptedException {
            call(control + "/faults", json);
        }

        String calls() throws IOException, InterruptedException {
            var operations = Pattern.compile("\"operations\":(\\{[^}]*\\})").matcher(call(control + "/journal/counts", null));
            operations.find();
            return operations.group(1);
        }
    }

    private static String call(String url, String json) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url)).header("Content-Type", "application/json");
        if (json != null) {
            request.POST(HttpRequest.BodyPublishers.ofString(json));
        }
        var response = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new IOException(response.body());
        }
        return response.body();
    }

    private static String text(String json, String name) { // a library for JSON does this better
        var member = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        member.find();
        return member.group(1);
    }
}
