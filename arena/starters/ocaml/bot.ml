(* mybot: a bot for the card arena. It always plays its lowest legal card. *)

open Yojson.Safe.Util

(* ---- your idea ---------------------------------------------------------------------------------- *)

(* The number of a card: 7 for G7. Words such as "chip" come last. *)
let value action =
  let number = String.sub action 1 (String.length action - 1) in
  Option.value (int_of_string_opt number) ~default:max_int

(* Return one of [legal]. SPEC.md describes [_view], game by game:
   [_view |> member "hand" |> to_list |> filter_string] is the hand. *)
let choose _decision legal _view =
  let lower lowest action = if value action < value lowest then action else lowest in
  List.fold_left lower (List.hd legal) legal

(* ---- the wire: a line in, a line out -------------------------------------------------------------- *)

(* print_endline flushes. To debug, use prerr_endline: standard output belongs to the referee. *)
let say message = print_endline (Yojson.Safe.to_string (`Assoc message))

let answer message =
  match message |> member "type" |> to_string with
  | "hello" -> say [ ("type", `String "ready"); ("name", `String "mybot"); ("language", `String "OCaml") ]
  | "request" ->
      let decision = message |> member "decision" |> to_string in
      let legal = message |> member "legal" |> to_list |> filter_string in
      let action = choose decision legal (member "view" message) in
      say [ ("type", `String "reply"); ("id", member "id" message); ("action", `String action) ]
  | _ -> ()

let rec converse () =
  match input_line stdin with
  | exception End_of_file -> ()
  | line ->
      answer (Yojson.Safe.from_string line);
      converse ()

let () = converse ()
