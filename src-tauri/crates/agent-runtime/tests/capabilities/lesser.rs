//! An adapter with fewer capabilities than the one it passes everything on to.

use std::sync::{Arc, OnceLock};

use agent_runtime::exec::{LocalOptions, LocalTransport};
use agent_runtime::providers::Claude;
use agent_runtime::{
    AdapterCapabilities, AdapterError, AdapterIdentity, AgentAdapter, AgentRuntime, Dialogue, HarnessId,
    Launch, LaunchContextCapabilities, LaunchKey, TurnCapabilities, TurnRequest,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

pub(crate) struct Lesser {
    pub(crate) can: AdapterCapabilities,
    inner: Claude,
}

impl Lesser {
    pub(crate) fn with(can: AdapterCapabilities) -> Self {
        Self {
            can,
            inner: Claude::default(),
        }
    }

    pub(crate) fn runtime(self) -> AgentRuntime {
        AgentRuntime::builder()
            .adapter(self)
            .transport_from_arc(transport())
            .build()
            .unwrap()
    }
}

impl AgentAdapter for Lesser {
    fn id(&self) -> HarnessId {
        self.inner.id()
    }

    fn identity(&self) -> AdapterIdentity {
        self.inner.identity()
    }

    fn executable(&self) -> String {
        self.inner.executable()
    }

    fn capabilities(&self) -> AdapterCapabilities {
        self.can.clone()
    }

    fn launch(&self, request: &TurnRequest) -> Result<Launch, AdapterError> {
        self.inner.launch(request)
    }

    fn open(&self, key: &LaunchKey) -> Box<dyn Dialogue> {
        self.inner.open(key)
    }
}

/// Checks start no process: one folder does for all of them.
fn transport() -> Arc<LocalTransport> {
    static TRANSPORT: OnceLock<Arc<LocalTransport>> = OnceLock::new();
    let new = || {
        let folder = std::env::temp_dir().join(format!("capabilities-{}", std::process::id()));
        Arc::new(LocalTransport::new(LocalOptions::new(folder)).unwrap())
    };
    Arc::clone(TRANSPORT.get_or_init(new))
}

/// What the real adapter claims.
pub(crate) fn claimed() -> AdapterCapabilities {
    Claude::default().capabilities()
}

/// The names of a struct of flags, with their values.
pub(crate) fn flags(of: &impl Serialize) -> Map<String, Value> {
    let Value::Object(flags) = serde_json::to_value(of).unwrap() else {
        panic!("no struct of flags");
    };
    flags
}

fn without<T: Serialize + DeserializeOwned>(of: &T, name: &str) -> Option<T> {
    let mut flags = flags(of);
    *flags.get_mut(name)? = Value::Bool(false);
    Some(serde_json::from_value(Value::Object(flags)).unwrap())
}

/// The same capabilities without this flag, which stands in exactly one of the structs.
pub(crate) fn take_away(can: &mut AdapterCapabilities, name: &str) {
    let turn: Option<TurnCapabilities> = without(&can.turn, name);
    let context: Option<LaunchContextCapabilities> = without(&can.launch_context, name);
    assert!(turn.is_some() != context.is_some(), "{name}");
    can.turn = turn.unwrap_or(can.turn);
    can.launch_context = context.unwrap_or(can.launch_context);
}

/// Whether a flag is set.
pub(crate) fn holds(can: &AdapterCapabilities, name: &str) -> bool {
    let (turn, context) = (flags(&can.turn), flags(&can.launch_context));
    turn.get(name).or(context.get(name)).unwrap() == true
}
