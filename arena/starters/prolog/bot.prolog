% mybot: a bot for the card arena. It always plays its lowest legal card.

:- use_module(library(http/json)).
:- use_module(library(pairs)).
:- use_module(library(readutil)).

:- initialization(main, main).

% ---- your idea -------------------------------------------------------------------------------------

%!  choose(+Decision, +Legal, +View, -Action) is det.
%
%   Action is one of the strings in Legal. SPEC.md describes View, a dict, game by game.

choose(_Decision, Legal, _View, Lowest) :-
    map_list_to_pairs(value, Legal, Pairs),
    keysort(Pairs, [_-Lowest|_]).

%!  value(+Action, -Value) is det.
%
%   Value is the number of a card: 7 for "G7". Words such as "chip" come last.

value(Action, Value) :-
    sub_string(Action, 1, _, 0, Digits),
    (   number_string(Number, Digits)
    ->  Value = Number
    ;   Value = 99
    ).

% ---- the wire: a line in, a line out -----------------------------------------------------------------

main :-
    prompt(_, ''),  % or "|: " would be written wherever a line is read
    converse.

converse :-
    read_line_to_string(user_input, Line),
    (   Line == end_of_file
    ->  true
    ;   atom_json_dict(Line, Message, []),
        answer(Message.type, Message),
        converse
    ).

answer("hello", _) :-
    !,
    say(_{type: ready, name: mybot, language: 'Prolog'}).
answer("request", Message) :-
    !,
    choose(Message.decision, Message.legal, Message.view, Action),
    say(_{type: reply, id: Message.id, action: Action}).
answer(_, _).

% To debug, use format(user_error, ...): standard output belongs to the referee.
say(Message) :-
    json_write_dict(current_output, Message, [width(0)]),
    nl,
    flush_output.
