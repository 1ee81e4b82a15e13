import { useEffect, useState } from "react";
import { host, hostError, type HostError } from "../../host";
import { useLive } from "../../state/live";
import { chooseTheme, useTheme } from "../../state/preference";
import { troubleOf, useHarnesses, useSaveSettings, useSettings } from "../../state/queries";
import { LastStarts } from "./LastStarts";
import { Standing } from "./Standing";
import { SettingsView, type SettingsViewProps } from "./SettingsView";

export function Settings({ keys }: Pick<SettingsViewProps, "keys">) {
  const boot = useLive((state) => state.boot);
  const settings = useSettings();
  const harnesses = useHarnesses();
  const save = useSaveSettings();
  const theme = useTheme();
  const [bundle, setBundle] = useState<SettingsViewProps["bundle"]>({ at: "idle" });
  const [failed, setFailed] = useState<HostError | null>(null);

  // The host remembers the choice too; where they differ, what the host knows stands.
  const stored = settings.data?.appearance;
  useEffect(() => {
    if (stored === "system" || stored === "light" || stored === "dark") chooseTheme(stored);
  }, [stored]);

  const write = async () => {
    setBundle({ at: "writing" });
    setFailed(null);
    try {
      setBundle({ at: "written", path: await host.diagnosticsBundle() });
    } catch (cause) {
      setBundle({ at: "idle" });
      setFailed(hostError(cause));
    }
  };

  return (
    <SettingsView
      boot={boot}
      settings={settings.data ?? null}
      harnesses={harnesses.data ?? []}
      keys={keys}
      theme={theme}
      error={troubleOf(failed ?? save.error ?? settings.error)}
      bundle={bundle}
      standing={<Standing />}
      starts={<LastStarts />}
      onTheme={(next) => {
        chooseTheme(next);
        if (settings.data) save.mutate({ ...settings.data, appearance: next });
      }}
      onChange={(next) => save.mutate(next)}
      onBundle={() => void write()}
      onRetry={() => {
        setFailed(null);
        save.reset();
        void settings.refetch();
      }}
    />
  );
}
