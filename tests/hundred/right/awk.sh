# awk from a shell: mawk reads line by line only when it is told so.
exec mawk -W interactive '
function say(text) {
    print text
    fflush()
}

function choose(line) {
    sub(/^.*"legal":\["/, "", line)
    sub(/".*$/, "", line)
    return line
}

/"type":"hello"/ {
    say("{\"type\":\"ready\",\"name\":\"mybot\"}")
}

/"type":"request"/ {
    id = $0
    sub(/^.*"id":/, "", id)
    sub(/,.*$/, "", id)
    action = choose($0)
    say("{\"type\":\"reply\",\"id\":" id ",\"action\":\"" action "\"}")
}
'
