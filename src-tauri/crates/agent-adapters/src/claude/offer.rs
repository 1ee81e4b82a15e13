//! Models as the verified version listed them, compared with the installed CLI by a test.

use agent_domain::harness::{CompiledCatalog, Effort, HarnessModel};

/// Levels of 2.1.332, the same for each of its models.
const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

/// Alias, name, and what the alias resolved to on 2.1.332. The first is the default.
const MODELS: [(&str, &str, &str); 4] = [
    ("opus", "Opus", "claude-opus-5-5"),
    ("fable", "Fable", "claude-fable-5-2"),
    ("sonnet", "Sonnet", "claude-sonnet-5-5"),
    ("haiku", "Haiku", "claude-haiku-5-5"),
];

pub(super) fn compiled() -> CompiledCatalog {
    let effort = |id: &str| Effort {
        id: id.to_owned(),
        label: id.to_owned(),
    };
    let model = |(at, (id, name, resolves_to)): (usize, &(&str, &str, &str))| HarnessModel {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        description: None,
        resolves_to: Some((*resolves_to).to_owned()),
        is_default: at == 0,
        efforts: EFFORTS.iter().copied().map(effort).collect(),
        context_window: None,
    };
    CompiledCatalog {
        models: MODELS.iter().enumerate().map(model).collect(),
        release: super::VERIFIED_VERSION,
        method: "the models in the answer to `initialize`, which needs no turn",
    }
}
