# mybot: a bot for the card arena. It always plays its lowest legal card.
#
# No JSON library: a line of the referee is compact, its fields are in the order of SPEC.md, and an action is
# letters and digits. So a field is cut out of the line.
#
# Any POSIX awk runs it. But mawk waits for a full buffer of input unless bot.toml says `-W interactive`, which gawk
# ignores.

# ---- your idea -------------------------------------------------------------------------------------

# Return one of legal[1] … legal[count]. SPEC.md describes `view` (as JSON), game by game.
function choose(decision, legal, count, view,    lowest, i) {
    lowest = legal[1]
    for (i = 2; i <= count; i++)
        if (value(legal[i]) < value(lowest))
            lowest = legal[i]
    return lowest
}

# The number of a card: 7 for G7. Words such as "chip" come last.
function value(action) {
    return action ~ /^[A-Z][0-9]+$/ ? substr(action, 2) + 0 : 99
}

# ---- reading JSON: texts(view, "hand", hand) is 2, and sets hand[1] to "G2" and hand[2] to "B7" ------

function texts(json, field, list) {
    json = between(json, "\"" field "\":[", "]")
    gsub(/"/, "", json)
    return split(json, list, ",")
}

# What stands behind the first `opening`, up to the next `closing`; empty if there is no such thing.
function between(text, opening, closing,    found) {
    found = index(text, opening)
    text = found ? substr(text, found + length(opening)) : ""
    return substr(text, 1, index(text, closing) - 1)
}

# ---- the wire: a line in, a line out -----------------------------------------------------------------

/"type":"hello"/ {
    say("{\"type\":\"ready\",\"name\":\"mybot\",\"language\":\"awk\"}")
}

/"type":"request"/ {
    answer($0)
}

function answer(request,    decision, legal, count, view, action) {
    decision = between(request, "\"decision\":\"", "\"")
    count = texts(request, "legal", legal)
    view = substr(request, index(request, "\"view\":") + 7)
    action = choose(decision, legal, count, view)
    say("{\"type\":\"reply\",\"id\":" between(request, "\"id\":", ",") ",\"action\":\"" action "\"}")
}

# To debug, print to "/dev/stderr": standard output belongs to the referee.
function say(message) {
    print message
    fflush()
}
