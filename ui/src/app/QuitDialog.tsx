import { useRef, useState } from "react";
import { host, hostError, type Living } from "../host";
import { Button } from "../kit/Button";
import { AlertDialog } from "../kit/Dialog";
import { Notice } from "../kit/Notice";
import { quitAnswered, useLive } from "../state/live";
import styles from "./App.module.css";

/** Names what lives before it ends. */
export function QuitDialog() {
  const living = useLive((state) => state.quitting);
  const [stopping, setStopping] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const stay = useRef<HTMLButtonElement>(null);
  const close = () => {
    setFailed(null);
    setStopping(false);
    quitAnswered();
  };
  const quit = async () => {
    setStopping(true);
    setFailed(null);
    try {
      await host.quit(true);
    } catch (cause) {
      setStopping(false);
      setFailed(`${hostError(cause).message}. ${hostError(cause).nextStep}`);
    }
  };
  return (
    <AlertDialog
      open={living !== null}
      onClose={close}
      title="Quit Paddock?"
      text="This is still alive. Stopping interrupts it; nothing that was said or decided is lost."
      initialFocus={stay}
      actions={
        <>
          <Button ref={stay} onClick={close}>Cancel</Button>
          <Button tone="danger" busy={stopping} onClick={() => void quit()}>{stopping ? "Stopping" : "Stop and quit"}</Button>
        </>
      }
    >
      {living ? <What living={living} /> : null}
      {failed ? <Notice tone="error" live title="Not stopped">{failed}</Notice> : null}
    </AlertDialog>
  );
}

function What({ living }: { living: Living }) {
  return (
    <ul className={styles.living}>
      {living.turns.map((title, at) => <li key={`${at}-${title}`}>A turn runs in <b><bdi>{title}</bdi></b></li>)}
      {living.decisions > 0 ? <li>{living.decisions} {living.decisions === 1 ? "decision waits" : "decisions wait"} for you</li> : null}
      {living.queued > 0 ? <li>{living.queued} queued {living.queued === 1 ? "prompt is" : "prompts are"} not sent yet</li> : null}
    </ul>
  );
}
