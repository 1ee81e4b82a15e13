import type { Batch, Bridge, FeedItem, Subscription } from "./contract";

/** Items kept for one frame at most; beyond it the window reads everything again instead. */
export const MOST_PENDING = 20_000;

/** How long a newer subscription waits for the answer to an older one that is still under way (ms). */
export const SUBSCRIBE_WAIT_MS = 5_000;

/** How long a hidden window waits instead of a frame (ms): it gets no animation frames, and must not fall behind. */
export const HIDDEN_FRAME_MS = 250;

export interface FeedSink {
  /** All items of one frame, in order. */
  apply: (items: readonly FeedItem[]) => void;
  /** The window is too far behind: read again, then say from where the feed goes on. */
  resync: () => Promise<Subscription>;
  /** The feed cannot go on. */
  failed: (cause: unknown) => void;
}

export interface Feed {
  /** Hears the events of another chat from now on. */
  follow: (subscription: Subscription) => Promise<void>;
  stop: () => void;
}

/**
 * The one channel of this window. The last chat that was asked for wins: subscriptions go to the host one after the other,
 * one that was overtaken is not sent, and a late answer changes nothing. What arrives is only put aside; one animation frame applies it as one change and then
 * acknowledges, so that the host never runs further ahead than the window can draw. Of a batch of an earlier subscription,
 * still under way after a change of chat, only the events are dropped: they are replayed. What it says about chats and
 * decisions is said once.
 */
export function openFeed(bridge: Pick<Bridge, "subscribe" | "commands">, sink: FeedSink, frame: (run: () => void) => void = nextFrame): Feed {
  let current = 0;
  /** The subscription under way. */
  let under: Promise<void> | null = null;
  let pending: FeedItem[] = [];
  let last: Batch | null = null;
  let scheduled = false;
  let stopped = false;

  const drain = (mine: number) => {
    scheduled = false;
    if (stopped || mine !== current) return;
    const items = pending;
    const batch = last;
    pending = [];
    last = null;
    if (items.length > 0) sink.apply(items);
    if (batch) bridge.commands.acknowledge(batch.subscription, batch.number).catch(sink.failed);
  };

  /** Whatever is asked for later has a higher ticket; only the highest counts. */
  const ticket = () => {
    current += 1;
    return current;
  };

  const follow = async (subscription: Subscription) => {
    const mine = ticket();
    pending = pending.filter(isLasting);
    last = null;
    // The host may take two calls in any order, and the second it takes ends the first.
    const before = under;
    const own = (async () => {
      if (before) await settledOrLate(before);
      if (stopped || mine !== current) return;
      await bridge.subscribe(subscription, (batch) => take(mine, batch));
    })();
    under = own;
    try {
      await own;
    } catch (cause) {
      // What failed is of interest only while nothing newer was asked for.
      if (mine === current) throw cause;
    } finally {
      if (under === own) under = null;
    }
  };

  const again = () => {
    const mine = ticket();
    // Everything is read anew: what waits is older than that.
    pending = [];
    sink
      .resync()
      .then((subscription) => (stopped || mine !== current ? undefined : follow(subscription)))
      .catch((cause: unknown) => (mine === current ? sink.failed(cause) : undefined));
  };

  function take(mine: number, batch: Batch): void {
    if (stopped) return;
    if (mine !== current) {
      schedule(batch.items.filter(isLasting));
      return;
    }
    if (batch.items.some(({ item }) => item === "resync") || pending.length + batch.items.length > MOST_PENDING) {
      again();
      return;
    }
    last = batch;
    schedule(batch.items);
  }

  function schedule(items: readonly FeedItem[]): void {
    for (const item of items) pending.push(item);
    if (scheduled) return;
    scheduled = true;
    frame(() => drain(current));
  }

  return {
    follow,
    stop: () => {
      stopped = true;
      pending = [];
    },
  };
}

/** Waits until a call is over, however it ended, but not for ever. */
async function settledOrLate(call: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SUBSCRIBE_WAIT_MS);
  });
  await Promise.race([call.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** Said once, whatever chat is on screen. */
function isLasting({ item }: FeedItem): boolean {
  return item !== "event" && item !== "resync";
}

function nextFrame(run: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(run, HIDDEN_FRAME_MS);
  else requestAnimationFrame(run);
}
