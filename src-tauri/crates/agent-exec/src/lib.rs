//! Where a command runs: processes, transports, and their clean end. Knows no harness and reads no output.
//!
//! | module | what |
//! | --- | --- |
//! | [`process`] | the one place that starts processes; framing of lines; ending of trees |
//! | [`transport`] | [`ExecutionTransport`], and this computer as one |
//! | [`files`] | private files of a spawn |
//! | [`error`] | [`TransportError`] |

pub mod error;
pub mod files;
pub mod process;
pub mod transport;

pub use error::{TransportError, TransportErrorKind};
pub use files::PrivateRoot;
pub use process::lines::{LineError, LineReader, RawLine};
pub use process::tree::{EndReport, LivingProcess, MARKER_ENV, ProcessIdentity, ProcessMoment, TERM_GRACE};
pub use process::{OwnedProcess, ProcessSpec, StdinMode};
pub use transport::capture::{Captured, capture};
pub use transport::environment::{EnvPolicy, MINIMAL_ENV, NETWORK_ENV, NEVER_INHERITED};
pub use transport::folders::{DirectoryNote, DirectorySuggestion, DirectorySuggestions};
pub use transport::local::{BaseEnvironment, LOCAL_ID, LocalOptions, LocalTransport};
pub use transport::login_shell::EnvironmentSource;
pub use transport::lookup::{
    ExecutableSearch, ExecutableState, FoundExecutable, InstallKind, PathEntry, PathOrigin,
};
pub use transport::{
    ExecutionTransport, ProcessReader, ProcessWriter, ReapReport, ReapedTree, ResolvedDirectory,
    TerminateMode, TransportCapabilities, TransportProcess, TransportProcessHandle, TransportSpawnRequest,
};
