import type { Batch, Bridge, FeedItem, Subscription } from "./contract";

/** Items kept for one frame at most; beyond it the window reads everything again instead. */
export const MOST_PENDING = 20_000;

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
 * The one channel of this window. What arrives is only put aside; one animation frame applies it as one change and then
 * acknowledges, so that the host never runs further ahead than the window can draw. Of a batch of an earlier subscription,
 * still under way after a change of chat, only the events are dropped: they are replayed. What it says about chats and
 * decisions is said once.
 */
export function openFeed(bridge: Pick<Bridge, "subscribe" | "commands">, sink: FeedSink, frame: (run: () => void) => void = nextFrame): Feed {
  let current = 0;
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

  const follow = async (subscription: Subscription) => {
    current += 1;
    const mine = current;
    pending = pending.filter(isLasting);
    last = null;
    await bridge.subscribe(subscription, (batch) => take(mine, batch));
  };

  const again = () => {
    current += 1;
    // Everything is read anew: what waits is older than that.
    pending = [];
    sink.resync().then((subscription) => (stopped ? undefined : follow(subscription))).catch(sink.failed);
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

/** Said once, whatever chat is on screen. */
function isLasting({ item }: FeedItem): boolean {
  return item !== "event" && item !== "resync";
}

function nextFrame(run: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(run, HIDDEN_FRAME_MS);
  else requestAnimationFrame(run);
}
