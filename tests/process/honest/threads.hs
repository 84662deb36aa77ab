-- Plays legal[0] by threads of the runtime and of the system, MVars, a timeout, and a command with pipes.
module Main (main) where

import Control.Concurrent
import Control.Monad (forM, replicateM_, unless)
import Data.Char (isDigit)
import GHC.Conc (getNumProcessors)
import Data.List (isInfixOf, isPrefixOf, tails)
import System.Exit (die)
import System.IO
import System.Process (readProcess)
import System.Timeout (timeout)

-- What stands behind a key, if it is there.
after :: String -> String -> Maybe String
after key line = case [drop (length key) rest | rest <- tails line, key `isPrefixOf` rest] of
  (found : _) -> Just found
  [] -> Nothing

prepare :: IO ()
prepare = do
  getNumProcessors >>= setNumCapabilities
  total <- newMVar (0 :: Integer)
  done <- forM [1 .. 100] $ \number -> do
    finished <- newEmptyMVar
    let work = modifyMVar_ total (\sofar -> return $! sofar + sum [1 .. number]) >> putMVar finished ()
    _ <- if even number then forkIO work else forkOS work
    return finished
  mapM_ takeMVar done
  found <- readMVar total
  unless (found == 171700) $ die ("the sum was " ++ show found)
  late <- timeout 10000 (threadDelay 1000000)
  unless (late == Nothing) $ die "the timeout did not come"
  said <- readProcess "sh" ["-c", "cat; setsid echo word"] "a "
  unless (said == "a word\n") $ die said

answer :: MVar String -> String -> IO ()
answer box line
  | "\"type\":\"hello\"" `isInfixOf` line = prepare >> putStrLn "{\"type\":\"ready\",\"name\":\"threads\"}"
  | Just rest <- after "\"type\":\"request\",\"id\":" line, Just legal <- after "\"legal\":[\"" line = do
      replicateM_ 3 $ forkIO (putMVar box (takeWhile (/= '"') legal))
      action <- last <$> mapM (const (takeMVar box)) [1 .. 3 :: Int]
      putStrLn ("{\"type\":\"reply\",\"id\":" ++ takeWhile isDigit rest ++ ",\"action\":\"" ++ action ++ "\"}")
  | otherwise = return ()

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  box <- newEmptyMVar
  getContents >>= mapM_ (answer box) . lines
