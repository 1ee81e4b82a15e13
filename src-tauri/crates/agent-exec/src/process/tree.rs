//! Finding and ending everything that a spawn left in the process table.
//!
//! A process belongs to a spawn when its environment carries the spawn's marker, or when it descends from one that
//! does. So a `setsid` child or a daemon is found as well. What escapes: a process that clears its environment *and*
//! whose parents are gone before they are looked at; on macOS also one whose environment the system hides.
//! On Windows a job object holds the tree and nothing can leave it.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
pub(crate) use super::tree_linux as platform;
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) use super::tree_unix as platform;
#[cfg(windows)]
pub(crate) use super::tree_windows as platform;

/// Environment variable that carries a spawn's marker, a UUID.
pub const MARKER_ENV: &str = "PADDOCK_SPAWN";
/// What a tree gets to end by itself after SIGTERM.
pub const TERM_GRACE: Duration = Duration::from_millis(400);
/// Pause between two looks while a tree has time to end by itself.
const GRACE_POLL: Duration = Duration::from_millis(10);
/// Most rounds of looking and killing.
pub const MAX_SWEEP_ROUNDS: u32 = 20;
/// Pause after the first round of killing; it grows by as much with every round.
const SWEEP_PAUSE: Duration = Duration::from_millis(2);
/// All rounds of killing together.
const SWEEP_BOUND: Duration = Duration::from_millis(1_500);
/// Up to this id, processes are the system's: the first process, and the kernel's own on Linux.
const LAST_SYSTEM_PID: u32 = 2;
/// Longest command line that is reported, in bytes.
pub const MAX_COMMAND_LINE_BYTES: usize = 4 * 1024;

/// A process, told from a later one of the same id by its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// Process id.
    pub pid: u32,
    /// Start, in the unit of [`crate::TransportProcessHandle::start`].
    pub start: u64,
}

/// A moment on the clock of process starts, in the unit of [`ProcessIdentity::start`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProcessMoment(pub u64);

/// A process of a spawn that lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LivingProcess {
    /// Which.
    #[serde(flatten)]
    pub identity: ProcessIdentity,
    /// The spawn's marker.
    pub marker: String,
    /// Program and arguments, one by one, cut at [`MAX_COMMAND_LINE_BYTES`] altogether.
    pub command: Vec<String>,
    /// How long it has run, in milliseconds.
    pub age_ms: u64,
    /// It is the leader or hangs on it by living parents. False: it detached itself.
    pub foreground: bool,
}

/// What ending a tree did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndReport {
    /// Processes that lived at the beginning or came up meanwhile, and are gone.
    pub ended: Vec<LivingProcess>,
    /// Processes that are still there, for example in an uninterruptible system call.
    pub left: Vec<LivingProcess>,
    /// Rounds of looking and killing.
    pub rounds: u32,
    /// Time it took.
    pub took: Duration,
}

/// One row of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) identity: ProcessIdentity,
    pub(crate) parent: u32,
    pub(crate) group: u32,
}

/// The tree to end.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) marker: String,
    /// The leader, when it is known.
    pub(crate) leader: Option<ProcessIdentity>,
    /// The leader is a child that was not waited for: its process and group ids cannot belong to anybody else.
    pub(crate) group_is_ours: bool,
}

/// Chooses the processes that are ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choice {
    /// Only those that started after this.
    pub(crate) after: Option<ProcessMoment>,
    /// Not the leader.
    pub(crate) spare_leader: bool,
    /// Not these and their descendants.
    pub(crate) keep: Vec<ProcessIdentity>,
}

/// Everything of some trees that lives, from one look at the process table.
pub(crate) struct Survey {
    rows: HashMap<u32, Row>,
    /// Process to marker.
    members: HashMap<ProcessIdentity, String>,
}

impl Survey {
    /// Looks once. Members are the marked, the leaders, and their descendants.
    pub(crate) fn take(trees: &[Tree]) -> std::io::Result<Self> {
        let markers: Vec<&str> = trees.iter().map(|tree| tree.marker.as_str()).collect();
        let table = platform::table(&markers)?;
        let rows: HashMap<u32, Row> = table.iter().map(|(row, _)| (row.identity.pid, *row)).collect();
        let mut members: HashMap<ProcessIdentity, String> = HashMap::new();
        for tree in trees {
            // A marked process older than its own leader cannot be: the marker is made at the spawn.
            let born = tree.leader.map_or(0, |leader| leader.start);
            for (row, marker) in &table {
                let marked = marker.as_deref() == Some(tree.marker.as_str()) && row.identity.start >= born;
                if marked || tree.leader == Some(row.identity) {
                    members.insert(row.identity, tree.marker.clone());
                }
            }
        }
        let mut survey = Self { rows, members };
        for tree in trees {
            survey.add_group(tree);
        }
        // Before the descendants are looked for: nothing may be taken for ours through one of these.
        survey.spare_ourselves();
        survey.add_descendants();
        survey.spare_ourselves();
        Ok(survey)
    }

    /// Whatever a stored handle says: the system's first processes, this process and its parents are never ended.
    fn spare_ourselves(&mut self) {
        let own = self.rows.get(&std::process::id()).map(|row| row.identity);
        let mut spared: Vec<ProcessIdentity> = own.iter().flat_map(|own| self.ancestors(*own)).collect();
        spared.extend(own);
        self.members
            .retain(|id, _| id.pid > LAST_SYSTEM_PID && !spared.contains(id));
    }

    /// The leader's group, marked or not. Its number is the leader's as long as the leader was not waited for or a
    /// member holds it.
    fn add_group(&mut self, tree: &Tree) {
        let Some(leader) = tree.leader else { return };
        if !tree.group_is_ours && !self.group_has_member(leader.pid) {
            return;
        }
        for row in self
            .rows
            .values()
            .filter(|row| row.group == leader.pid && row.identity.start >= leader.start)
        {
            self.members
                .entry(row.identity)
                .or_insert_with(|| tree.marker.clone());
        }
    }

    fn add_descendants(&mut self) {
        let own = std::process::id();
        let mut found: Vec<(ProcessIdentity, String)> = Vec::new();
        for row in self.rows.values() {
            if row.identity.pid == own || self.members.contains_key(&row.identity) {
                continue;
            }
            let marked = self
                .ancestors(row.identity)
                .into_iter()
                .find_map(|a| self.members.get(&a).cloned());
            found.extend(marked.map(|marker| (row.identity, marker)));
        }
        self.members.extend(found);
    }

    /// Living parents of a process, nearest first.
    fn ancestors(&self, of: ProcessIdentity) -> Vec<ProcessIdentity> {
        let mut chain = Vec::new();
        let mut child = of;
        while let Some(parent) = self
            .rows
            .get(&child.pid)
            .and_then(|row| self.rows.get(&row.parent))
        {
            // A parent younger than its child is another process under a recycled id.
            if parent.identity.start > child.start || chain.contains(&parent.identity) {
                break;
            }
            chain.push(parent.identity);
            child = parent.identity;
        }
        chain
    }

    fn chosen(&self, trees: &[Tree], choice: &Choice) -> Vec<ProcessIdentity> {
        let leaders: HashSet<ProcessIdentity> = trees.iter().filter_map(|tree| tree.leader).collect();
        let mut all: Vec<(usize, ProcessIdentity)> = self
            .members
            .keys()
            .filter(|id| !(choice.spare_leader && leaders.contains(id)))
            .filter(|id| choice.after.is_none_or(|after| id.start > after.0))
            .map(|id| (self.ancestors(*id), *id))
            .filter(|(parents, id)| {
                !choice
                    .keep
                    .iter()
                    .any(|kept| kept == id || parents.contains(kept))
            })
            .map(|(parents, id)| (parents.len(), id))
            .collect();
        // Parents first: a shell that loops over its children starts no further one.
        all.sort();
        all.into_iter().map(|(_, id)| id).collect()
    }

    /// The members with their command lines.
    pub(crate) fn living(&self, trees: &[Tree]) -> Vec<LivingProcess> {
        let mut all: Vec<LivingProcess> = self
            .members
            .keys()
            .filter_map(|id| self.describe(*id, trees))
            .collect();
        all.sort_by_key(|process| process.identity.start);
        all
    }

    fn describe(&self, id: ProcessIdentity, trees: &[Tree]) -> Option<LivingProcess> {
        let marker = self.members.get(&id)?;
        let leader = trees
            .iter()
            .find(|tree| &tree.marker == marker)
            .and_then(|tree| tree.leader);
        let foreground = leader.is_some_and(|leader| leader == id || self.ancestors(id).contains(&leader));
        Some(LivingProcess {
            identity: id,
            marker: marker.clone(),
            command: platform::command_line(id.pid),
            age_ms: platform::age_ms(id),
            foreground,
        })
    }

    /// This process is in the group itself.
    fn is_own_group(&self, group: u32) -> bool {
        self.rows
            .get(&std::process::id())
            .is_some_and(|row| row.group == group)
    }

    fn group_has_member(&self, group: u32) -> bool {
        self.members
            .keys()
            .any(|id| self.rows.get(&id.pid).is_some_and(|row| row.group == group))
    }
}

/// Everything of these trees that lives.
pub(crate) fn living(trees: &[Tree]) -> std::io::Result<Vec<LivingProcess>> {
    Ok(Survey::take(trees)?.living(trees))
}

/// An ending in progress: what was seen so far, so that a process that loses its parents is not lost from sight.
pub(crate) struct Ending<'a> {
    trees: &'a [Tree],
    choice: Choice,
    seen: HashMap<ProcessIdentity, LivingProcess>,
    begun: Instant,
    rounds: u32,
}

impl<'a> Ending<'a> {
    pub(crate) fn new(trees: &'a [Tree], choice: Choice) -> Self {
        Self {
            trees,
            choice,
            seen: HashMap::new(),
            begun: Instant::now(),
            rounds: 0,
        }
    }

    /// Looks, and returns what is to end and lives: chosen now, or chosen before and still there.
    fn targets(&mut self) -> std::io::Result<(Survey, Vec<ProcessIdentity>)> {
        let survey = Survey::take(self.trees)?;
        let mut targets = survey.chosen(self.trees, &self.choice);
        for id in &targets {
            if !self.seen.contains_key(id) {
                self.seen
                    .extend(survey.describe(*id, self.trees).map(|process| (*id, process)));
            }
        }
        let before = self.seen.keys().filter(|id| !targets.contains(id));
        let still: Vec<_> = before
            .filter(|id| survey.rows.get(&id.pid).is_some_and(|row| row.identity == **id))
            .copied()
            .collect();
        targets.extend(still);
        Ok((survey, targets))
    }

    /// Asks everything to end. True: something was there to ask.
    pub(crate) fn ask(&mut self) -> std::io::Result<bool> {
        let (survey, targets) = self.targets()?;
        self.signal(&survey, &targets, platform::Signal::Term);
        Ok(!targets.is_empty())
    }

    /// Nothing is left.
    pub(crate) fn is_over(&mut self) -> std::io::Result<bool> {
        Ok(self.targets()?.1.is_empty())
    }

    /// Kills until nothing is left, at most [`MAX_SWEEP_ROUNDS`] rounds and [`SWEEP_BOUND`].
    pub(crate) fn sweep(&mut self) -> std::io::Result<()> {
        let begun = Instant::now();
        while self.rounds < MAX_SWEEP_ROUNDS && begun.elapsed() < SWEEP_BOUND {
            let (survey, targets) = self.targets()?;
            if targets.is_empty() {
                return Ok(());
            }
            self.rounds += 1;
            self.signal(&survey, &targets, platform::Signal::Kill);
            std::thread::sleep(SWEEP_PAUSE * self.rounds);
        }
        Ok(())
    }

    fn signal(&self, survey: &Survey, targets: &[ProcessIdentity], signal: platform::Signal) {
        let whole = self.choice.after.is_none() && !self.choice.spare_leader && self.choice.keep.is_empty();
        let mut groups = Vec::new();
        for tree in self.trees.iter().filter(|_| whole) {
            let Some(leader) = tree.leader else { continue };
            // Once the leader was waited for, its number is safe only while a member of ours still holds the group.
            let held = tree.group_is_ours || survey.group_has_member(leader.pid);
            if held && leader.pid > LAST_SYSTEM_PID && !survey.is_own_group(leader.pid) {
                platform::signal_group(leader.pid, signal);
                groups.push(leader.pid);
            }
        }
        for target in targets {
            // Nobody is asked twice: some programs take a second request for "at once".
            let in_group = survey
                .rows
                .get(&target.pid)
                .is_some_and(|row| groups.contains(&row.group));
            if signal == platform::Signal::Kill || !in_group {
                platform::signal(*target, signal);
            }
        }
    }

    /// What was done.
    pub(crate) fn report(mut self) -> std::io::Result<EndReport> {
        let (_, left) = self.targets()?;
        let (left, ended) = self
            .seen
            .into_values()
            .partition(|process| left.contains(&process.identity));
        Ok(EndReport {
            ended,
            left,
            rounds: self.rounds,
            took: self.begun.elapsed(),
        })
    }
}

/// Ends trees: ask, wait, kill, sweep. Blocking, bounded under 3 s.
pub(crate) fn end(trees: &[Tree], choice: Choice, grace: Duration) -> std::io::Result<EndReport> {
    let mut ending = Ending::new(trees, choice);
    if !grace.is_zero() && ending.ask()? {
        let asked = Instant::now();
        while asked.elapsed() < grace && !ending.is_over()? {
            std::thread::sleep(GRACE_POLL);
        }
    }
    ending.sweep()?;
    ending.report()
}
