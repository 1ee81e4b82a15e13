import { Folder, GitBranch } from "lucide-react";
import type { Ref } from "react";
import { Suggest } from "../../kit/Suggest";
import type { FolderState } from "../../state/queries";
import { completed } from "./folder";
import styles from "./NewChat.module.css";

export interface FolderFieldProps {
  value: string;
  state: FolderState;
  onChange: (value: string) => void;
  ref?: Ref<HTMLInputElement>;
}

export function FolderField({ value, state, onChange, ref }: FolderFieldProps) {
  const { offers, recent, answer, trouble } = state;
  const wrong = answer && !answer.exact ? (answer.folders.length ? "Not a folder yet. Keep typing, or take an offer." : "There is no such folder.") : undefined;
  const notes = [...(answer?.exact ? answer.notes : []), ...(answer?.incomplete ? ["Not every folder could be read in time; keep typing."] : [])];
  return (
    <Suggest
      ref={ref}
      label="Folder"
      testId="folder"
      mono
      value={value}
      placeholder="~/work/project"
      items={offers.map(({ path, display, git }) => ({
        value: display,
        label: <span className={styles.path}>{display}</span>,
        icon: git ? <GitBranch /> : <Folder />,
        end: git ? "git" : undefined,
        group: recent ? "Recent folders" : undefined,
        key: path,
      }))}
      onChange={onChange}
      onChoose={onChange}
      waiting={value.trim() !== "" && answer === null && trouble === null}
      onTab={(typed) => completed(typed, answer?.common_prefix)}
      error={trouble ?? wrong}
      nothing="No folder begins like this"
      hint={notes.length ? <ul className={styles.notes}>{notes.map((note) => <li key={note}>{note}</li>)}</ul> : undefined}
    />
  );
}
