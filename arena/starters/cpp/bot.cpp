// mybot: a bot for the card arena. It always plays its lowest legal card.
//
// No JSON library: a line of the referee is compact, its fields are in the order of SPEC.md, and an action is
// letters and digits. So a field is found as text.

#include <algorithm>
#include <cctype>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

// Behind the first `opening`, up to the next `closing`; empty if there is no such thing.
std::string_view between(std::string_view text, std::string_view opening, std::string_view closing) {
    const auto found = text.find(opening);
    if (found == std::string_view::npos) return {};
    const auto rest = text.substr(found + opening.size());
    return rest.substr(0, rest.find(closing));
}

// The list of strings in a field: texts(line, "legal") is {"G2", "B7"}. Those of the view are looked for behind
// `"view":`, since events have a "hand" too.
std::vector<std::string> texts(std::string_view json, std::string_view field) {
    std::vector<std::string> found;
    auto list = between(json, '"' + std::string(field) + "\":[", "]");
    while (list.size() > 1) {
        found.emplace_back(between(list, "\"", "\""));
        list.remove_prefix(std::min(list.size(), found.back().size() + 3));  // its quotes and a comma
    }
    return found;
}

// ---- your idea -------------------------------------------------------------------------------------

// The number of a card: 7 for G7. Words such as "chip" come last.
int value(const std::string& action) {
    return std::isdigit(static_cast<unsigned char>(action.back())) ? std::stoi(action.substr(1)) : 99;
}

// Return one of `legal`. SPEC.md describes the view of a request, game by game.
std::string choose([[maybe_unused]] std::string_view request, const std::vector<std::string>& legal) {
    return *std::min_element(legal.begin(), legal.end(),
                             [](const auto& one, const auto& other) { return value(one) < value(other); });
}

// ---- the wire: a line in, a line out -----------------------------------------------------------------

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        const auto type = between(line, R"("type":")", "\"");
        if (type == "hello") {
            std::cout << R"({"type":"ready","name":"mybot","language":"C++"})" << std::endl;
        } else if (type == "request") {
            const auto id = between(line, R"("id":)", ",");
            const auto action = choose(line, texts(line, "legal"));
            std::cout << R"({"type":"reply","id":)" << id << R"(,"action":")" << action << R"("})" << std::endl;
        }
    }
}
