//! The turn's deadline: its clock stands while a decision is open.

use std::time::Duration;

use tokio::time::Instant;

/// Time left, or none to keep.
#[derive(Debug)]
pub(super) struct TurnClock {
    left: Option<Duration>,
    running_since: Option<Instant>,
}

impl TurnClock {
    pub(super) fn start(deadline: Option<Duration>) -> Self {
        Self {
            left: deadline,
            running_since: Some(Instant::now()),
        }
    }

    /// A person is asked.
    pub(super) fn stand(&mut self) {
        if let Some(since) = self.running_since.take() {
            self.left = self.left.map(|left| left.saturating_sub(since.elapsed()));
        }
    }

    /// Nobody is asked any more.
    pub(super) fn go_on(&mut self) {
        self.running_since.get_or_insert_with(Instant::now);
    }

    /// When the deadline is reached if nothing stops the clock.
    pub(super) fn end(&self) -> Option<Instant> {
        Some(self.running_since? + self.left?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_person_costs_no_time() {
        let mut clock = TurnClock::start(Some(Duration::from_secs(10)));
        tokio::time::advance(Duration::from_secs(4)).await;
        clock.stand();
        assert_eq!(clock.end(), None);
        tokio::time::advance(Duration::from_secs(3600)).await;
        clock.go_on();
        assert_eq!(clock.end(), Some(Instant::now() + Duration::from_secs(6)));
        assert_eq!(TurnClock::start(None).end(), None);
    }
}
