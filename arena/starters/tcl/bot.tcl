# mybot: a bot for the card arena. It always plays its lowest legal card.

package require Tcl 8.6
package require json
package require json::write

# ---- your idea -------------------------------------------------------------------------------------

# Return one of $legal. SPEC.md describes $view, a dict, game by game.
proc choose {decision legal view} {
    set lowest [lindex $legal 0]
    foreach action $legal {
        if {[value $action] < [value $lowest]} {
            set lowest $action
        }
    }
    return $lowest
}

# The number of a card: 7 for G7. Words such as "chip" come last.
proc value {action} {
    return [expr {[scan $action {%*[A-Z]%d} number] == 1 ? $number : 99}]
}

# ---- the wire: a line in, a line out -----------------------------------------------------------------

# Takes fields and their values, which are JSON: texts are quoted by `text`.
proc say {args} {
    puts [json::write object {*}$args]
}

proc text {text} {
    return [json::write string $text]
}

json::write indented 0
json::write aligned 0
fconfigure stdout -buffering line ;# flush every line; to debug, use puts stderr

while {[gets stdin line] >= 0} {
    set message [json::json2dict $line]
    switch [dict get $message type] {
        hello {
            say type [text ready] name [text mybot] language [text Tcl]
        }
        request {
            dict with message {
                say type [text reply] id $id action [text [choose $decision $legal $view]]
            }
        }
    }
}
