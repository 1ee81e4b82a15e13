//! State words: an enum in Rust, plain text in SQL and JSON.

/// Makes an enum whose values are stored as words. A word that this version does not know is kept readable as `Unknown`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant,)+
            /// Written by a later version, or damaged. Never written by this one.
            #[serde(rename = "unknown", other)]
            Unknown,
        }

        impl $name {
            /// The word in SQL and JSON.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Unknown => "unknown",
                }
            }

            /// Reads the word.
            pub fn from_word(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    _ => Self::Unknown,
                }
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> Self {
                Self::from_word(&word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use crate::ChatStatus;

    #[test]
    fn a_word_reads_back_and_an_unknown_one_stays_readable() {
        assert_eq!(
            ChatStatus::from_word(ChatStatus::ApprovalNeeded.as_str()),
            ChatStatus::ApprovalNeeded
        );
        assert_eq!(ChatStatus::from_word("levitating"), ChatStatus::Unknown);
        assert_eq!(
            serde_json::to_string(&ChatStatus::TimedOut).unwrap(),
            "\"timed_out\""
        );
    }
}
