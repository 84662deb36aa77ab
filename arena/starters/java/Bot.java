import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * mybot: a bot for the card arena. It always plays its lowest legal card.
 *
 * <p>No JSON library: a line of the referee is compact, its fields stand in the order of SPEC.md, and an action
 * is letters and digits. So a field is found as text.
 */
public final class Bot {

    // ---- your idea -----------------------------------------------------------------------------------

    /** Return one of {@code legal}. SPEC.md describes {@code view} (as JSON), game by game. */
    private static String choose(String decision, List<String> legal, String view) {
        return legal.stream().min(Comparator.comparingInt(Bot::value)).orElseThrow();
    }

    /** The number of a card: 7 for G7. Words such as "chip" come last. */
    private static int value(String action) {
        return action.matches("[A-Z]\\d+") ? Integer.parseInt(action.substring(1)) : Integer.MAX_VALUE;
    }

    // ---- reading JSON: texts(view, "hand") is [G2, B7] -------------------------------------------------

    /** The list of strings in a field; empty if there is none. */
    private static List<String> texts(String json, String field) {
        String list = first(json, "\"" + field + "\":\\[([^\\]]*)\\]");
        return Pattern.compile("\\w+").matcher(list).results().map(found -> found.group()).toList();
    }

    /** The first group of the first match, or "". */
    private static String first(String json, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(json);
        return matcher.find() ? matcher.group(1) : "";
    }

    // ---- the wire: a line in, a line out ---------------------------------------------------------------

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (first(line, "\"type\":\"(\\w+)\"")) {
                case "hello" -> say("{\"type\":\"ready\",\"name\":\"mybot\",\"language\":\"Java\"}");
                case "request" -> {
                    String view = line.substring(line.indexOf("\"view\":"));
                    String action = choose(first(line, "\"decision\":\"(\\w+)\""), texts(line, "legal"), view);
                    String id = first(line, "\"id\":(\\d+)");
                    say("{\"type\":\"reply\",\"id\":" + id + ",\"action\":\"" + action + "\"}");
                }
                default -> { } // "end"
            }
        }
    }

    /** To debug, use System.err: standard output belongs to the referee. */
    private static void say(String message) {
        System.out.println(message);
        System.out.flush();
    }
}
