choose() {
    rest=${1#*'"legal":["'}
    action=${rest%%'"'*}
}

while read -r line; do
    case $line in
    *'"type":"hello"'*)
        echo '{"type":"ready","name":"mybot"}' ;;
    *'"type":"request"'*)
        id=${line#*'"id":'}
        id=${id%%,*}
        choose "$line"
        echo "{\"type\":\"reply\",\"id\":$id,\"action\":\"$action\"}" ;;
    esac
done
