//! Turns at once. A turn that waits for a person lends its slot; taking it back never waits, the next release pays.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A counted set of slots.
#[derive(Debug, Clone)]
pub struct Slots {
    free: Arc<Semaphore>,
    owed: Arc<AtomicUsize>,
}

impl Slots {
    /// This many.
    pub fn new(count: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(count)),
            owed: Arc::default(),
        }
    }

    /// Waits for one.
    pub async fn take(&self) -> Slot {
        // The semaphore is never closed; were it, running unbounded would be worse than waiting for ever.
        let permit = match Arc::clone(&self.free).acquire_owned().await {
            Ok(permit) => permit,
            Err(_) => std::future::pending().await,
        };
        Slot {
            slots: self.clone(),
            permit: Some(permit),
            owes: false,
        }
    }

    /// Free ones.
    pub fn free(&self) -> usize {
        self.free.available_permits()
    }
}

/// One taken slot. Dropping it gives it back.
#[derive(Debug)]
pub struct Slot {
    slots: Slots,
    permit: Option<OwnedSemaphorePermit>,
    /// Taken back while none was free: the next release pays for it.
    owes: bool,
}

impl Slot {
    /// Lets another turn use it.
    pub fn lend(&mut self) {
        if let Some(permit) = self.permit.take() {
            self.slots.release(permit);
        }
        if std::mem::take(&mut self.owes) && !self.slots.pay() {
            // Somebody paid already: the slot that was theirs is free now.
            self.slots.free.add_permits(1);
        }
    }

    /// Takes it back at once; if none is free, the next that is released stays away. Starts nobody.
    pub fn reclaim(&mut self) {
        if self.permit.is_some() || self.owes {
            return;
        }
        match Arc::clone(&self.slots.free).try_acquire_owned() {
            Ok(permit) => self.permit = Some(permit),
            Err(_) => {
                self.owes = true;
                self.slots.owed.fetch_add(1, Ordering::AcqRel);
            }
        }
    }
}

impl Slots {
    fn release(&self, permit: OwnedSemaphorePermit) {
        if self.pay() { permit.forget() } else { drop(permit) }
    }

    /// Takes one off what is owed. False: nothing is.
    fn pay(&self) -> bool {
        self.owed
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |owed| owed.checked_sub(1))
            .is_ok()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.lend();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn a_lent_slot_lets_another_turn_in_and_the_debt_is_paid() {
        let slots = Slots::new(1);
        let mut asking = slots.take().await;
        asking.lend();
        let other = tokio::time::timeout(Duration::from_secs(1), slots.take())
            .await
            .unwrap();
        asking.reclaim();
        assert_eq!(slots.free(), 0);
        drop(other);
        assert_eq!(slots.free(), 0, "the released slot pays for the one taken back");
        drop(asking);
        assert_eq!(slots.free(), 1);
    }

    #[tokio::test]
    async fn taking_back_starts_nobody_who_waits() {
        let slots = Slots::new(1);
        let mut asking = slots.take().await;
        asking.lend();
        let other = slots.take().await;
        let waiting = tokio::spawn({
            let slots = slots.clone();
            async move { slots.take().await }
        });
        for _ in 0..3 {
            asking.reclaim();
            asking.lend();
            asking.reclaim();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!waiting.is_finished(), "two turns work: the third waits");
        drop(other);
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!waiting.is_finished(), "the released slot pays");
        drop(asking);
        let third = tokio::time::timeout(Duration::from_secs(1), waiting)
            .await
            .unwrap()
            .unwrap();
        drop(third);
        assert_eq!(slots.free(), 1);
    }
}
