# mybot: a bot for the card arena. It always plays its lowest legal card.
#
# No JSON library: a line of the referee is compact, its fields are in the order of SPEC.md, and an action is
# letters and digits. So a field is cut out of the line.

# ---- your idea -------------------------------------------------------------------------------------

# Sets `action` to one of the words in `legal`. SPEC.md describes `view` (as JSON), game by game.
choose() {
    lowest=
    for candidate in $legal; do
        value "$candidate"
        if [ -z "$lowest" ] || [ "$value" -lt "$lowest" ]; then
            lowest=$value action=$candidate
        fi
    done
}

# Sets `value` to the number of a card: 7 for G7. Words such as "chip" come last.
value() {
    value=${1#?}
    case $value in
    '' | *[!0-9]*) value=99 ;;
    esac
}

# ---- reading JSON: texts "$view" hand sets `texts` to "G2 B7" ----------------------------------------

texts() {
    texts=${1#*"\"$2\":["}
    texts=$(echo "${texts%%]*}" | tr -d '"' | tr ',' ' ')
}

# ---- the wire: a line in, a line out -----------------------------------------------------------------

# To debug, write to standard error: echo "$legal" >&2
while read -r line; do
    case $line in
    *'"type":"hello"'*)
        echo '{"type":"ready","name":"mybot","language":"POSIX shell"}' ;;
    *'"type":"request"'*)
        id=${line#*'"id":'} id=${id%%,*}
        decision=${line#*'"decision":"'} decision=${decision%%'"'*}
        # shellcheck disable=SC2034 # for your idea
        view=${line#*'"view":'}
        texts "$line" legal
        legal=$texts
        choose
        echo "{\"type\":\"reply\",\"id\":$id,\"action\":\"$action\"}" ;;
    esac
done
