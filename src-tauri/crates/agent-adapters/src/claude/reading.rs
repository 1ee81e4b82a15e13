//! How lines and their parts are read: forgiving about single fields, and over long texts no more often than needed.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::wire::Block;

/// Reads a field, or takes it for absent when it has another kind than expected.
pub(super) fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// The arms of a visitor for values of a kind that is not wanted.
macro_rules! otherwise_none {
    () => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(None)
        }
    };
}

/// Reads an object in place, or takes it for absent when the value is none. Unlike [`lenient`] it goes over the text once,
/// which counts for long ones; an object that lacks what `T` needs makes the whole line odd.
pub(super) fn object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Object<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = Option<T>;

        otherwise_none!();

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(Some)
        }

        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(None)
        }
    }
    deserializer.deserialize_any(Object(PhantomData))
}

/// Reads a string in place, borrowed where it holds no escape, or takes it for absent when the value is none.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    struct Text;
    impl<'de> Visitor<'de> for Text {
        type Value = Option<Cow<'de, str>>;

        otherwise_none!();

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(None)
        }

        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Some(Cow::Borrowed(text)))
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(Cow::Owned(text.to_owned())))
        }
    }
    deserializer.deserialize_any(Text)
}

/// The type of a line whose other parts could not be read.
pub(super) fn type_of(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Header {
        #[serde(rename = "type")]
        kind: String,
    }
    serde_json::from_str::<Header>(text)
        .ok()
        .map(|header| header.kind)
}

/// The blocks of a `content`, and the text of those that are none. A plain string has no blocks.
pub(super) fn blocks(content: Option<&RawValue>) -> Vec<Result<Block<'_>, &str>> {
    let Some(content) = content.filter(|content| content.get().starts_with('[')) else {
        return Vec::new();
    };
    if let Ok(all) = serde_json::from_str::<Vec<Block<'_>>>(content.get()) {
        return all.into_iter().map(Ok).collect();
    }
    let raw: Vec<&RawValue> = part(Some(content)).unwrap_or_default();
    raw.into_iter()
        .map(|raw| serde_json::from_str(raw.get()).map_err(|_| raw.get()))
        .collect()
}

/// A part of a line, read as `T`; absent or of another kind: nothing.
pub(super) fn part<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
}

/// Any value as JSON text. Serializing plain strings and maps cannot fail; a failure would read as `null`.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// Text cut on a character boundary to at most `max` bytes.
pub(super) fn cut(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Evidence of bytes that need not be text: as it is up to the first byte that is no UTF-8, the rest escaped.
pub(super) fn sample(bytes: &[u8], max: usize) -> String {
    let bytes = &bytes[..bytes.len().min(max)];
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => {
            let (text, rest) = bytes.split_at(error.valid_up_to());
            let text = std::str::from_utf8(text).unwrap_or_default();
            // A character that only the cut broke is left out, not replaced.
            match error.error_len() {
                None => text.to_owned(),
                Some(_) => cut(&format!("{text}{}", rest.escape_ascii()), max).to_owned(),
            }
        }
    }
}
