;;;; mybot: a bot for the card arena. It always plays its lowest legal card.

(require :asdf)
(asdf:load-system :yason)

(defpackage :bot
  (:use :common-lisp)
  (:export #:build))

(in-package :bot)

;;; ---- your idea -----------------------------------------------------------------------------------

(defun value (action)
  "The number of a card, 7 of G7; words such as \"chip\" come last."
  (or (parse-integer action :start 1 :junk-allowed t)
      most-positive-fixnum))

(defun choose (decision legal view)
  "One of LEGAL. What VIEW, a hash table, holds stands in SPEC.md, game by game: (gethash \"hand\" view)."
  (declare (ignore decision view))
  (flet ((lower (one other)
           (if (< (value other) (value one)) other one)))
    (reduce #'lower legal)))

;;; ---- the wire: a line in, a line out ---------------------------------------------------------------

(defun say (&rest fields)
  "Writes a line and flushes it. To debug, use *error-output*: standard output belongs to the referee."
  (yason:encode-plist fields)
  (terpri)
  (finish-output))

(defun answer (message)
  (flet ((field (name) (gethash name message)))
    (let ((type (field "type")))
      (cond ((string= type "hello")
             (say "type" "ready" "name" "mybot" "language" "Common Lisp"))
            ((string= type "request")
             (say "type" "reply" "id" (field "id")
                  "action" (choose (field "decision") (field "legal") (field "view"))))))))

(defun main ()
  (loop for line = (read-line *standard-input* nil)
        while line do (answer (yason:parse line))))

(defun build ()
  "Saves what has been loaded as the program `bot`, which keeps the heap size that SBCL was started with."
  (sb-ext:save-lisp-and-die "bot" :executable t :toplevel #'main :save-runtime-options t))
