;;; Plays legal[0] by SBCL's threads, with locks and queues of waiters, and by a program.
(defun between (line opening closing)
  (let* ((from (+ (search opening line) (length opening)))
         (to (search closing line :start2 from)))
    (subseq line from to)))

(let ((total 0) (lock (sb-thread:make-mutex)))
  (let ((threads (loop repeat 8 collect
                   (sb-thread:make-thread
                    (lambda () (sb-thread:with-mutex (lock) (incf total)))))))
    (mapc #'sb-thread:join-thread threads)
    (assert (= total 8))))
(let ((semaphore (sb-thread:make-semaphore)))
  (sb-thread:make-thread (lambda () (sb-thread:signal-semaphore semaphore)))
  (assert (sb-thread:wait-on-semaphore semaphore :timeout 5)))
(assert (string= "7" (string-trim '(#\Newline)
                      (with-output-to-string (out)
                        (sb-ext:run-program "/bin/echo" '("7") :output out)))))
(let ((rung nil))
  (sb-ext:schedule-timer (sb-ext:make-timer (lambda () (setf rung t)) :thread t) 0.01)
  (loop repeat 500 until rung do (sleep 0.01))
  (assert rung))
(loop repeat 20 do (make-array 1000000 :element-type '(unsigned-byte 8)))
(sb-ext:gc :full t)

(defvar *lock* (sb-thread:make-mutex))
(defvar *changed* (sb-thread:make-waitqueue))
(defvar *wanted* nil)
(defvar *chosen* nil)
(sb-thread:make-thread
 (lambda ()
   (loop
     (sb-thread:with-mutex (*lock*)
       (loop until *wanted* do (sb-thread:condition-wait *changed* *lock*))
       (setf *chosen* (between *wanted* "\"legal\":[\"" "\"") *wanted* nil)
       (sb-thread:condition-broadcast *changed*))))
 :name "chooser")
(sb-thread:make-thread (lambda () (loop (sleep 0.005))) :name "clock")

(loop for line = (read-line *standard-input* nil)
      while line
      do (cond ((search "\"type\":\"hello\"" line)
                (format t "{\"type\":\"ready\",\"name\":\"threads\"}~%"))
               ((search "\"type\":\"request\"" line)
                (sb-thread:with-mutex (*lock*)
                  (setf *wanted* line *chosen* nil)
                  (sb-thread:condition-broadcast *changed*)
                  (loop until *chosen* do (sb-thread:condition-wait *changed* *lock*)))
                (format t "{\"type\":\"reply\",\"id\":~a,\"action\":\"~a\"}~%"
                        (between line "\"id\":" ",") *chosen*)))
         (finish-output))
(sb-ext:exit :abort t)
