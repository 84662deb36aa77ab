{ mybot: a bot for the card arena. It always plays its lowest legal card. }
program bot;

{$mode objfpc}{$H+}

uses
  fpjson, jsonparser, SysUtils;

{ ---- your idea ------------------------------------------------------------------------------------- }

{ The number of a card: 7 for G7. Words such as "chip" come last. }
function Value(const Action: string): Integer;
begin
  Result := StrToIntDef(Copy(Action, 2, Length(Action)), MaxInt);
end;

{ One of the legal actions of a request, whose decision is in Request.Strings['decision']. What
  Request.Objects['view'] holds stands in SPEC.md, game by game. }
function Choose(const Request: TJSONObject): string;
var
  Legal: TJSONArray;
  Action: TJSONEnum;
begin
  Legal := Request.Arrays['legal'];
  Result := Legal.Strings[0];
  for Action in Legal do
    if Value(Action.Value.AsString) < Value(Result) then
      Result := Action.Value.AsString;
end;

{ ---- the wire: a line in, a line out ----------------------------------------------------------------- }

{ Writes a message, flushes it and frees it. To debug, use WriteLn(StdErr, ...): standard output belongs to the
  referee. }
procedure Say(const Message: TJSONObject);
begin
  try
    WriteLn(Message.AsJSON);
    Flush(Output);
  finally
    Message.Free;
  end;
end;

procedure Answer(const Message: TJSONObject);
begin
  case Message.Strings['type'] of
    'hello':
      Say(TJSONObject.Create(['type', 'ready', 'name', 'mybot', 'language', 'Pascal']));
    'request':
      Say(TJSONObject.Create(['type', 'reply', 'id', Message.Integers['id'], 'action', Choose(Message)]));
  end;
end;

var
  Line: string;
  Message: TJSONObject;
begin
  while not EOF do
  begin
    ReadLn(Line);
    Message := GetJSON(Line) as TJSONObject;
    try
      Answer(Message);
    finally
      Message.Free;
    end;
  end;
end.
