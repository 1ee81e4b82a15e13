import { useCallback, useSyncExternalStore } from "react";

/** At this width and below the sidebar is a drawer. */
export const NARROW = "(max-width: 700px)";

export function useMedia(query: string): boolean {
  const listen = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(listen, () => window.matchMedia(query).matches);
}
