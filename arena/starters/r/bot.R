# mybot: a bot for the card arena. It always plays its lowest legal card.

library(jsonlite)

# ---- your idea -----------------------------------------------------------

# Return one of `legal`. SPEC.md describes `view`, a list, game by game.
choose <- function(decision, legal, view) {
  legal[which.min(value(legal))]
}

# The numbers of cards: 7 for G7. Words such as "chip" come last.
value <- function(actions) {
  numbers <- sub("^[A-Z]([0-9]+)$", "\\1", actions)
  as.integer(ifelse(numbers == actions, 99, numbers))
}

# ---- the wire: a line in, a line out ---------------------------------------

# To debug, use message(): standard output belongs to the referee.
say <- function(...) {
  cat(toJSON(list(...), auto_unbox = TRUE), "\n", sep = "")
}

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  message <- fromJSON(line)
  if (message$type == "hello") {
    say(type = "ready", name = "mybot", language = "R")
  } else if (message$type == "request") {
    action <- choose(message$decision, message$legal, message$view)
    say(type = "reply", id = message$id, action = action)
  }
}
