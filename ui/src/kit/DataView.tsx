// JSON for reading: names and values, lists, tables. Everything in it is plain text.
import { memo, useState } from "react";
import { spellOutBidi } from "./CodeVisible";
import styles from "./DataView.module.css";
import { type Json, prettyJson } from "./json";

/** Entries of one list, object or table that are shown at once. */
export const MAX_ENTRIES_SHOWN = 50;
/** Characters of one text that are shown at once. */
const MAX_TEXT_SHOWN = 800;
/** Characters of a name; the whole is in the JSON. */
const MAX_NAME_SHOWN = 120;
/** Levels that are laid out; what is deeper stays JSON. */
const MAX_LEVELS = 5;
/** Columns of a table; an object with more is shown by itself. */
const MAX_COLUMNS = 8;

type Entries = ReadonlyArray<readonly [string, Json]>;

const isPlain = (value: Json) => value.kind !== "object" && value.kind !== "array";

/** Columns of a list of flat objects; null: it is no table. */
export function columnsOf(items: readonly Json[]): string[] | null {
  if (items.length === 0) return null;
  const columns = new Set<string>();
  for (const item of items) {
    if (item.kind !== "object" || item.entries.some(([, value]) => !isPlain(value))) return null;
    for (const [name] of item.entries) columns.add(name);
  }
  return columns.size > 0 && columns.size <= MAX_COLUMNS ? [...columns] : null;
}

export const DataView = memo(function DataView({ value, level = 0 }: { value: Json; level?: number }) {
  if (isPlain(value)) return <Plain value={value} />;
  if (level >= MAX_LEVELS) return <code className={styles.deep}><Text text={prettyJson(value)} /></code>;
  if (value.kind === "object") return <Pairs entries={value.entries} level={level} />;
  if (value.kind !== "array") return null;
  if (value.items.length === 0) return <span className={styles.none}>empty list</span>;
  const columns = columnsOf(value.items);
  return columns ? <Table rows={value.items} columns={columns} level={level} /> : <List items={value.items} level={level} />;
});

function Plain({ value }: { value: Json }) {
  if (value.kind === "string") return value.value === "" ? <span className={styles.none}>empty</span> : <Text text={value.value} />;
  if (value.kind === "number") return <span className={styles.number}>{value.raw}</span>;
  if (value.kind === "boolean") return <span className={styles.word} data-value={value.raw}>{value.raw === "true" ? "Yes" : "No"}</span>;
  return <span className={styles.none}>none</span>;
}

function Name({ name }: { name: string }) {
  return <bdi>{spellOutBidi(name.length > MAX_NAME_SHOWN ? `${name.slice(0, MAX_NAME_SHOWN)}…` : name)}</bdi>;
}

function Text({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const long = text.length > MAX_TEXT_SHOWN;
  return (
    <span className={styles.text} dir="auto">
      {spellOutBidi(long && !all ? `${text.slice(0, MAX_TEXT_SHOWN)}…` : text)}
      {long ? <More open={all} what="the whole text" onClick={() => setAll(!all)} /> : null}
    </span>
  );
}

function More({ open, what, onClick }: { open: boolean; what: string; onClick: () => void }) {
  return <button type="button" className={styles.more} aria-expanded={open} onClick={onClick}>{open ? "Show less" : `Show ${what}`}</button>;
}

/** The beginning of something long, and whether all of it is shown. */
function useBeginning<T>(all: readonly T[]) {
  const [open, setOpen] = useState(false);
  const long = all.length > MAX_ENTRIES_SHOWN;
  const more = long ? <More open={open} what={`all ${all.length.toLocaleString("en")}`} onClick={() => setOpen(!open)} /> : null;
  return { shown: open ? all : all.slice(0, MAX_ENTRIES_SHOWN), more };
}

function Pairs({ entries, level }: { entries: Entries; level: number }) {
  const { shown, more } = useBeginning(entries);
  if (entries.length === 0) return <span className={styles.none}>empty</span>;
  return (
    <>
      <dl className={styles.pairs} data-nested={level > 0 || undefined}>
        {shown.map(([name, value], at) => (
          <div key={at} className={styles.pair}>
            <dt className={styles.key}><Name name={name} /></dt>
            <dd className={styles.value}><DataView value={value} level={level + 1} /></dd>
          </div>
        ))}
      </dl>
      {more}
    </>
  );
}

function List({ items, level }: { items: readonly Json[]; level: number }) {
  const { shown, more } = useBeginning(items);
  return (
    <>
      <ul className={styles.list}>
        {shown.map((item, at) => <li key={at}><DataView value={item} level={level + 1} /></li>)}
      </ul>
      {more}
    </>
  );
}

function Table({ rows, columns, level }: { rows: readonly Json[]; columns: readonly string[]; level: number }) {
  const { shown, more } = useBeginning(rows);
  return (
    <>
      <div className={styles.tableFrame} data-scrolls-sideways tabIndex={0} role="group" aria-label={`Table of ${rows.length} rows`}>
        <table className={styles.table}>
          <thead>
            <tr>{columns.map((name) => <th key={name} scope="col"><div className={styles.cell}><Name name={name} /></div></th>)}</tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr key={at}>
                {columns.map((name) => {
                  const cell = row.kind === "object" ? row.entries.findLast(([each]) => each === name)?.[1] : undefined;
                  return <td key={name} data-number={cell?.kind === "number" || undefined}><div className={styles.cell}>{cell ? <DataView value={cell} level={level + 1} /> : <span className={styles.none}>–</span>}</div></td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more}
    </>
  );
}
