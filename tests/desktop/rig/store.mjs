// The database of a window whose app does not run: read from a copy, so that what a crash left stays as it is for the
// next start, or changed as a crash of another kind could have left it.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const QUERY_MS = 45_000
/** A killed app gives its locks back only when the last of it is gone, in milliseconds. */
const LOCKED_MS = 15_000
const NAME = 'paddock.sqlite'

function sqlite(file, sql) {
  const { status, stdout, stderr, error } = spawnSync('sqlite3', ['-json', '-cmd', `.timeout ${LOCKED_MS}`, file, sql], {
    encoding: 'utf8',
    timeout: QUERY_MS,
  })
  if (error?.code === 'ENOENT') throw new Error('sqlite3 is not installed. Next: apt-get install sqlite3')
  if (status !== 0) throw new Error(`sqlite3: ${error?.message ?? stderr.trim()}`)
  return stdout.trim() ? JSON.parse(stdout) : []
}

function folderOf(window) {
  if (window.app().length) throw new Error('the app runs: its database is its own')
  return join(window.dirs.data, 'store')
}

export const quoted = (text) => `'${String(text).replaceAll("'", "''")}'`

/** Rows of a query over a copy. */
export function query(window, sql) {
  const copy = mkdtempSync(join(window.dirs.temp, 'store-'))
  cpSync(folderOf(window), copy, { recursive: true })
  const rows = sqlite(join(copy, NAME), sql)
  rmSync(copy, { recursive: true })
  return rows
}

/** The chat as it is stored: { last, session }. */
export const storedChat = (window, chat) =>
  query(
    window,
    `SELECT session_id AS session, (SELECT max(seq) FROM events WHERE events.chat_id = chats.id) AS last FROM chats WHERE id = ${quoted(chat)}`,
  )[0]

/** Markers of process trees that are not noted as ended. */
export const openMarkers = (window) =>
  query(window, 'SELECT marker FROM process_handles WHERE ended_at IS NULL').map(({ marker }) => marker)

/** Adds a process tree to those of a crashed app: started when its last one was, and its process id is now another's. */
export function plantHandle(window, marker, pid) {
  const [mark, id] = [quoted(marker), Number(pid)]
  sqlite(
    join(folderOf(window), NAME),
    `INSERT INTO process_handles
     SELECT ${mark}, chat_id, turn_id, json_set(handle, '$.marker', ${mark}, '$.pid', ${id}), created_at, NULL
     FROM process_handles ORDER BY created_at DESC, rowid DESC LIMIT 1`,
  )
}
