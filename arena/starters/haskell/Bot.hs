{-# LANGUAGE OverloadedStrings #-}

-- | mybot: a bot for the card arena. It always plays its lowest legal card.
module Main (main) where

import Data.Aeson (FromJSON (..), Object, Value, eitherDecodeStrict, encode, object, withObject, (.:), (.=))
import Data.Aeson.Types (Parser)
import qualified Data.ByteString.Char8 as ByteString
import qualified Data.ByteString.Lazy.Char8 as Lazy
import Data.List (minimumBy)
import Data.Ord (comparing)
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Text.Read (decimal)
import System.Exit (die)
import System.IO (BufferMode (LineBuffering), hSetBuffering, isEOF, stdout)

-- | A line of the referee.
data Message
  = Hello
  | Request Int Text [Text] Object -- its id, decision, legal and view
  | End

-- ---- your idea -------------------------------------------------------------------------------------

-- | One of the legal actions. What the view holds stands in SPEC.md, game by game;
-- @parseMaybe (.: "hand") view@ takes the hand from it.
choose :: Text -> [Text] -> Object -> Text
choose _decision legal _view = minimumBy (comparing value) legal

-- | The number of a card: 7 for G7. Words such as "chip" come last.
value :: Text -> Int
value action = case decimal (Text.drop 1 action) of
  Right (digits, "") -> digits
  _ -> maxBound

-- ---- the wire: a line in, a line out -----------------------------------------------------------------

instance FromJSON Message where
  parseJSON = withObject "Message" $ \fields -> do
    kind <- fields .: "type" :: Parser Text
    case kind of
      "hello" -> pure Hello
      "request" ->
        Request <$> fields .: "id" <*> fields .: "decision" <*> fields .: "legal" <*> fields .: "view"
      _ -> pure End

-- | The answer that is due.
answer :: Message -> Maybe Value
answer Hello = Just (object ["type" .= text "ready", "name" .= text "mybot", "language" .= text "Haskell"])
answer (Request number decision legal view) =
  Just (object ["type" .= text "reply", "id" .= number, "action" .= choose decision legal view])
answer End = Nothing

-- | With OverloadedStrings a literal needs a type.
text :: Text -> Text
text = id

-- | To debug, use hPutStrLn stderr, or Debug.Trace: standard output belongs to the referee.
main :: IO ()
main = hSetBuffering stdout LineBuffering >> converse

converse :: IO ()
converse = do
  ended <- isEOF
  if ended
    then pure ()
    else do
      line <- ByteString.getLine
      message <- either die pure (eitherDecodeStrict line)
      mapM_ (Lazy.putStrLn . encode) (answer message)
      converse
