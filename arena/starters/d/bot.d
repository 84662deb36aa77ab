/// mybot: a bot for the card arena. It always plays its lowest legal card.
module bot;

import std.algorithm : all, map, minElement;
import std.array : array;
import std.ascii : isDigit;
import std.conv : to;
import std.json : JSONValue, parseJSON;
import std.stdio : stdin, stdout;

// ---- your idea -------------------------------------------------------------------------------------

/// Return one of `legal`. SPEC.md describes `view`, game by game: `view["seat"].integer` is the seat.
string choose(string decision, string[] legal, JSONValue view)
{
    return legal.minElement!value;
}

/// The number of a card: 7 for G7. Words such as "chip" come last.
int value(string action)
{
    const number = action[1 .. $];
    return number.length && number.all!isDigit ? number.to!int : int.max;
}

// ---- the wire: a line in, a line out -----------------------------------------------------------------

/// To debug, use stderr.writeln: standard output belongs to the referee.
void say(JSONValue message)
{
    stdout.writeln(message);
    stdout.flush();
}

void main()
{
    foreach (line; stdin.byLine)
    {
        auto message = parseJSON(line);
        switch (message["type"].str)
        {
        case "hello":
            say(JSONValue(["type": "ready", "name": "mybot", "language": "D"]));
            break;
        case "request":
            auto legal = message["legal"].array.map!(action => action.str).array;
            JSONValue reply = ["type": "reply", "action": choose(message["decision"].str, legal, message["view"])];
            reply["id"] = message["id"];
            say(reply);
            break;
        default:
            break;
        }
    }
}
