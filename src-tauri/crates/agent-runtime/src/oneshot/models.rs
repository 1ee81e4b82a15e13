//! Models that a CLI offers. Compiled lists are what a release said of itself; they go stale and say since when.

use agent_domain::harness::HarnessModel;

/// A model on offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Exact value to send.
    pub id: String,
    /// Name for display.
    pub name: String,
    /// Whether the id may come to mean another model.
    pub kind: ModelKind,
    /// What the alias resolved to when the list was made.
    pub resolves_to: Option<String>,
    /// The safe pre-selection.
    pub is_default: bool,
    /// Efforts that it takes, in the vendor's order. Empty: none to offer.
    pub efforts: Vec<String>,
}

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// Whatever the account resolves it to today.
    Alias,
    /// One model for good.
    Pinned,
}

/// How a compiled list was established.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Release of the CLI.
    pub release: &'static str,
    /// Where the list was read.
    pub method: &'static str,
}

impl From<HarnessModel> for Model {
    fn from(model: HarnessModel) -> Self {
        let pinned = model.resolves_to.as_ref().is_none_or(|to| *to == model.id);
        Self {
            kind: if pinned {
                ModelKind::Pinned
            } else {
                ModelKind::Alias
            },
            resolves_to: model.resolves_to,
            name: model.name,
            is_default: model.is_default,
            efforts: model.efforts.into_iter().map(|effort| effort.id).collect(),
            id: model.id,
        }
    }
}
