# Plays legal[0] by bash: pipes, jobs in the background, coprocesses, named pipes, and the tools that go with them.
set -e -o pipefail

test "$(for n in 3 1 2; do (sleep 0.00$n; echo $n) & done | sort | tr -d '\n'; wait)" = 123
test "$(seq 9 | xargs -P 3 -n 1 echo | wc -l)" -eq 9
test "$(sort <(echo b) <(echo a) | tr -d '\n')" = ab
test "$(setsid echo 7)" = 7
test "$(nice echo 7)" = 7
test "$(timeout 5 echo 7)" = 7
test "$(flock /tmp/lock echo 7)" = 7
(flock -n 9; echo 7 >&9) 9>/tmp/lock
nohup sleep 0.01 >/tmp/nohup 2>&1 &
wait $!
trap 'rung=1' USR1
kill -USR1 $$
test "$rung" = 1
(set -m; sleep 0.01 & wait; sleep 0.01 & disown)

mkfifo /tmp/wanted /tmp/chosen
while read -r legal; do echo "${legal%%\"*}"; done </tmp/wanted >/tmp/chosen &
exec 3>/tmp/wanted 4</tmp/chosen
coproc cat
while :; do sleep 0.05; done &
ticking=$!

while read -r line; do
    case $line in
    *'"type":"hello"'*)
        echo '{"type":"ready","name":"jobs"}' ;;
    *'"type":"request"'*)
        id=${line#*'"id":'} id=${id%%,*}
        echo "${line#*'"legal":["'}" >&3
        read -r action <&4
        echo "$action" >&"${COPROC[1]}"
        read -r action <&"${COPROC[0]}"
        echo "{\"type\":\"reply\",\"id\":$id,\"action\":\"$action\"}" ;;
    esac
done
kill $ticking
