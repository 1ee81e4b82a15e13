import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { host, hostError, type HostError } from "../../host";
import { now } from "../../kit/time";
import { useLive } from "../../state/live";
import { putHarness, troubleOf, useHarnesses } from "../../state/queries";
import { HarnessesView } from "./HarnessesView";

export function Harnesses() {
  const client = useQueryClient();
  const list = useHarnesses();
  const pushed = useLive((state) => state.harnesses);
  const [asked, setAsked] = useState<ReadonlyMap<string, number>>(new Map());
  const [failed, setFailed] = useState<ReadonlyMap<string, string>>(new Map());
  const [quota, setQuota] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<HostError | null>(null);

  useEffect(() => {
    for (const card of pushed.values()) putHarness(client, card);
  }, [pushed, client]);

  const check = (id: string) => {
    setAsked((before) => new Map(before).set(id, now()));
    setFailed((before) => without(before, id));
    host
      .checkHarness(id)
      .then((card) => putHarness(client, card))
      .catch((cause: unknown) => setFailed((before) => new Map(before).set(id, `${hostError(cause).message}. ${hostError(cause).nextStep}`)))
      .finally(() => setAsked((before) => without(before, id)));
  };

  const askQuota = (id: string) => {
    setQuota((before) => new Set(before).add(id));
    setFailed((before) => without(before, id));
    host
      .checkQuota(id)
      .then((card) => putHarness(client, card))
      .catch((cause: unknown) => setFailed((before) => new Map(before).set(id, `${hostError(cause).message}. ${hostError(cause).nextStep}`)))
      .finally(() => setQuota((before) => new Set([...before].filter((each) => each !== id))));
  };

  return (
    <HarnessesView
      cards={list.data ?? null}
      error={troubleOf(refused ?? list.error)}
      asked={asked}
      failed={failed}
      onRetry={() => {
        setRefused(null);
        void list.refetch();
      }}
      onCheck={check}
      asksQuota={quota}
      onQuota={askQuota}
      onOpen={(url) => void host.openLink(url).catch((cause: unknown) => setRefused(hostError(cause)))}
    />
  );
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  const next = new Map(map);
  next.delete(key);
  return next;
}
