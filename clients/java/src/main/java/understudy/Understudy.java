package understudy;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A running mock: one that {@link #start} started, or one that is there already. Members of bodies have the names of the
 * control interface, which {@code docs/reference/control.md} lists. Values are those of JSON: maps, lists, strings, numbers,
 * booleans and null. Durations are texts such as {@code 90s} or {@code 1h30m}. All methods throw
 * {@link UnderstudyException}, and are safe for use by several threads.
 */
public final class Understudy implements AutoCloseable {
    private final String url;
    private final String token = System.getenv("UNDERSTUDY_CONTROL_TOKEN");
    private final HttpClient http;
    private final Map<String, String> interfaces = new TreeMap<>();
    private final Process process; // null if it was there already

    private Understudy(String url, String ca, Process process) {
        this.url = url.replaceAll("/+$", "");
        this.process = process;
        // Without proxies, which some machines name for addresses of others.
        var builder = HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).version(HttpClient.Version.HTTP_1_1);
        if (ca != null && this.url.startsWith("https:")) {
            builder.sslContext(trusting(ca));
        }
        http = builder.build();
        Json.object(call("GET", "/version", null).get("interfaces"))
            .forEach((name, path) -> interfaces.put(name, (String) path));
    }

    /** Finds a mock by its address, such as http://127.0.0.1:4010. */
    public static Understudy at(String url) {
        return new Understudy(url, System.getenv("UNDERSTUDY_CA"), null);
    }

    /**
     * Finds the mock that the environment names, as {@code understudy serve -- COMMAND} sets it: UNDERSTUDY_URL,
     * UNDERSTUDY_CONTROL_TOKEN and UNDERSTUDY_CA, the file of the authority of its certificate.
     */
    public static Understudy connect() {
        var url = System.getenv("UNDERSTUDY_URL");
        return at(url == null ? "http://127.0.0.1:4010" : url);
    }

    /**
     * Starts {@code understudy serve} on a free port, with more flags if you like, and waits until it can answer. The binary is
     * that of UNDERSTUDY_BINARY, or {@code understudy} in the path.
     */
    public static Understudy start(String... flags) {
        var binary = System.getenv("UNDERSTUDY_BINARY");
        return start(Path.of(binary == null ? "understudy" : binary), flags);
    }

    /** Starts a binary as {@link #start(String...)} does. */
    public static Understudy start(Path binary, String... flags) {
        var command = new ArrayList<>(List.of(binary.toString(), "serve", "--listen", "127.0.0.1:0", "--log-level", "warn"));
        command.addAll(List.of(flags));
        Process process = null;
        try {
            var log = Files.createTempFile("understudy", ".log");
            try {
                process = new ProcessBuilder(command).redirectError(log.toFile()).start();
                Runtime.getRuntime().addShutdownHook(new Thread(process::destroy)); // no mock outlives its program
                var ready = process.inputReader(StandardCharsets.UTF_8).readLine(); // when it can answer
                if (ready == null) {
                    throw new UnderstudyException(String.join(" ", command) + " ended with "
                        + process.onExit().join().exitValue() + ": " + Files.readString(log).strip(), 0, null);
                }
                var addresses = Json.object(Json.parse(ready));
                return new Understudy((String) addresses.get("url"), (String) addresses.get("ca"), process);
            } finally {
                Files.delete(log);
            }
        } catch (RuntimeException e) {
            if (process != null) {
                process.destroy();
            }
            throw e;
        } catch (IOException e) {
            throw new UnderstudyException(binary + " cannot be started: " + e.getMessage()
                + "; install it, or set UNDERSTUDY_BINARY", 0, e);
        }
    }

    /** Returns the address of the mock. */
    public String url() { return url; }

    /** Returns the path of each interface that is served, by its name. */
    public Map<String, String> interfaces() { return new TreeMap<>(interfaces); }

    /** Makes a world of a scenario, such as {@code quickstart}. */
    public World world(String scenario) { return world(Map.of("scenario", scenario)); }

    /**
     * Makes a world: of a {@code scenario}, or as a {@code fork} of another world, with {@code seed}, {@code clock} and
     * {@code now}. It has API keys of its own unless {@code mintKeys} is false.
     */
    public World world(Map<String, ?> members) {
        var body = new LinkedHashMap<String, Object>(Map.of("mintKeys", true));
        body.putAll(members);
        return new World(this, call("POST", "/worlds", body));
    }

    /** Ends the mock if {@link #start} started it. The end of the program does so, too. */
    @Override
    public void close() {
        if (process != null) {
            process.destroy();
            process.onExit().completeOnTimeout(process, 30, TimeUnit.SECONDS).join();
            process.destroyForcibly().onExit().join();
        }
    }

    /** Calls the control interface. Returns what it answers; an empty map if that is nothing. */
    Map<String, Object> call(String method, String path, Object body) {
        var request = HttpRequest.newBuilder(URI.create(url + "/_understudy" + path))
            .header("Content-Type", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(Json.write(body)));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            var response = http.send(request.build(), BodyHandlers.ofString());
            if (response.statusCode() >= 300) {
                throw new UnderstudyException(method + " /_understudy" + path + ": " + response.statusCode() + ": "
                    + said(response.body()), response.statusCode(), null);
            }
            return response.body().isEmpty() ? Map.of() : Json.object(Json.parse(response.body()));
        } catch (IOException e) {
            throw new UnderstudyException("no mock answers at " + url + ": " + e, 0, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnderstudyException("interrupted", 0, e);
        }
    }

    /** Returns what a refusal says: the member, what is wrong with it, and what would be right. */
    private static String said(String body) {
        try {
            var error = Json.object(Json.object(Json.parse(body)).get("error"));
            return Stream.of("field", "message", "hint").map(error::get).filter(text -> text instanceof String)
                .map(Object::toString).collect(Collectors.joining(": "));
        } catch (RuntimeException e) { // no JSON of the mock's
            return body;
        }
    }

    static String quote(Object text) {
        return URLEncoder.encode(String.valueOf(text), StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static SSLContext trusting(String ca) {
        try (var in = Files.newInputStream(Path.of(ca))) {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("authority" + store.size(), certificate);
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new UnderstudyException("the authority " + ca + " cannot be read: " + e, 0, e);
        }
    }
}
