// The app is killed at random moments of a turn. What was on screen is still there, what ran is marked as interrupted,
// nothing is sent again, nothing of before lives, a stranger with a recycled process id is left alone, and the chat goes
// on in the same session of the CLI. KILLS=30 is the long form; SEED repeats a run.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { Person, eventually } from './rig/pages.mjs'
import { generator } from './rig/random.mjs'
import { letters } from './rig/scripts.mjs'
import { openWindow } from './rig/session.mjs'
import { commandLine } from './rig/spawned.mjs'
import { openMarkers, plantHandle, storedChat } from './rig/store.mjs'

const KILLS = Number(process.env.KILLS ?? 5)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
/** Longest wait from the first sign of a turn to the kill, in milliseconds; that of fast text, which ends in 7 s. */
const LATEST_MS = 2_500
const LATEST_FAST_MS = 1_500
/** How long a restarted app must stay quiet: nothing is sent again. In milliseconds. */
const QUIET_MS = 700
/** Between two looks at the processes while a turn is started, in milliseconds. */
const WATCH_MS = 100

const window = await openWindow()
const person = new Person(window)
const folder = join(window.dirs.workspace, 'quarry')
const random = generator(SEED)
/** A process of ours that the app has nothing to do with: neither its mark nor its folders are in its environment. */
const stranger = spawn('sleep', ['3600'], { env: { PATH: process.env.PATH }, stdio: 'ignore' })
/** Markers of process trees that were planted. */
const planted = new Set()
let chat = null
mkdirSync(folder)
after(async () => {
  stranger.kill('SIGKILL')
  await window.end()
})
before(async () => {
  console.log(`SEED=${SEED} KILLS=${KILLS}`)
  await person.atShell()
  chat = await person.newChat(folder, '[[text]] begin')
  await person.ended()
})

/** What runs when the app is killed: `prompt`, and `begun`, which waits until it is really under way. */
const MOMENTS = [
  { name: 'slow text', prompt: '[[slow]]', begun: (had) => moreText(had) },
  { name: 'an open approval', prompt: '[[bash]]', begun: () => person.card(), decision: true },
  { name: 'a running command', prompt: '[[sleep]]', begun: runCommand },
  { name: 'fast text', prompt: '[[long]]', begun: (had) => moreText(had), latest: LATEST_FAST_MS },
  { name: 'a turn that starts', prompt: '[[slow]]', begun: () => eventually('the turn', () => person.running()) },
]

for (let round = 0; round < KILLS; round += 1) {
  const moment = MOMENTS[round % MOMENTS.length]
  const wait = Math.floor(random() * (moment.latest ?? LATEST_MS))
  test(`kill ${round + 1}: ${moment.name}, ${wait} ms in`, () => killed(moment, round, wait))
}

async function killed(moment, round, wait) {
  // A round that failed half-way leaves no app behind; the next one says something all the same.
  if (!window.app().length) {
    await window.restart()
    await person.atShell()
    await person.openChat(chat)
  }
  const had = new Set((await person.rows()).map((row) => row.id))
  await person.send(`${moment.prompt} round ${round}`)
  await moment.begun(had)
  await pause(wait)
  const shown = await person.rows()
  const spawned = window.spawned()
  const cards = await person.openCards()
  await window.kill()
  const stored = storedChat(window, chat)
  const drawn = Math.max(...shown.map((row) => row.sequence))
  assert.ok(stored.last >= drawn, `event ${drawn} was on screen, and ${stored.last} is the last one that is stored`)
  assert.deepEqual(openMarkers(window).filter((marker) => planted.has(marker)), [], 'what was reaped is noted as ended')
  if (round % 2 === 1) plant(`recycled-${round}`)
  await window.restart()
  await person.browser.$('a[data-state]').waitForExist()
  const alive = new Set(window.spawned().map((one) => one.pid))
  assert.deepEqual(spawned.filter((one) => alive.has(one.pid)), [], 'of before, when the chat is listed')
  assert.equal(stranger.exitCode ?? stranger.signalCode, null, 'a stranger with the process id of a dead CLI lives')

  await person.atShell()
  await person.openChat(chat)
  const rows = await person.allRows()
  nothingLost(shown, rows)
  interrupted(rows, `round ${round}`, drawn)
  if (moment.decision) assert.equal(cards, 1, 'the card was open')
  assert.equal(await person.openCards(), 0, 'no card waits for an answer that nobody takes')
  await pause(QUIET_MS)
  assert.deepEqual(await person.allRows(), rows, 'nothing comes by itself')
  assert.equal(await person.running(), false)
  assert.deepEqual(turns(), [], 'no harness runs a turn')

  await goesOn(round, stored.session)
}

/** A process tree of the app with the stranger's process id, and with another start. */
function plant(marker) {
  plantHandle(window, marker, stranger.pid)
  planted.add(marker)
}

/** The next prompt goes on in the session that the CLI had before the kill. */
async function goesOn(round, session) {
  const started = new Map()
  const watch = setInterval(() => turns().forEach((one) => started.set(one.pid, commandLine(one.pid) ?? started.get(one.pid))), WATCH_MS)
  await person.send(`[[text]] after ${round}`)
  assert.match(await person.ended(), /Done/)
  clearInterval(watch)
  assert.match((await person.texts()).at(-1), /^Hello from the practice model/)
  const commands = [...started.values()].filter(Boolean)
  assert.ok(session, 'the session was stored')
  assert.ok(commands.some((words) => words[words.indexOf('--resume') + 1] === session), `--resume ${session} in ${commands.join(' | ')}`)
  assert.equal(timesGiven(`after ${round}`), 1, 'the CLI was given the next prompt once')
  assert.ok(timesGiven(`round ${round}`) <= 1, 'the CLI was not given the prompt of the killed turn again')
}

const turns = () => window.ofTurns().filter((one) => one.command.includes('stream-json'))

/** How often the CLI was given a prompt, by what it keeps of its sessions itself. */
function timesGiven(words) {
  const root = join(window.dirs.data, 'practice', 'config', 'claude', 'projects')
  const files = readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.jsonl'))
  assert.ok(files.length > 0, 'the CLI keeps its sessions')
  const ends = new RegExp(`\\]\\] ${words}$`)
  const given = new Set()
  for (const line of files.flatMap((name) => readFileSync(join(root, name), 'utf8').split('\n')).filter(Boolean)) {
    const { type, uuid, message } = JSON.parse(line)
    if (type === 'user' && textsOf(message.content).some((text) => ends.test(text))) given.add(uuid)
  }
  return given.size
}

const textsOf = (content) => (typeof content === 'string' ? [content] : content.map((block) => block.text ?? ''))

/** Every row that was on screen is there with all its events, and its text is at least what it was. */
function nothingLost(shown, rows) {
  const now = new Map(rows.map((row) => [row.id, row]))
  for (const { id, kind, text, sequence } of shown) {
    assert.ok(now.has(id), `the row is still there: ${kind} ${text.slice(0, 80)}`)
    assert.ok(now.get(id).sequence >= sequence, `${kind}: event ${sequence} was shown, ${now.get(id).sequence} is the last now`)
    // Letters only: marks of Markdown that were half there when the page was read are drawn in another way when whole.
    if (kind === 'text' || kind === 'prompt')
      assert.ok(letters(now.get(id).text).startsWith(letters(text)), `${kind}: at least the ${text.length} characters that were shown`)
  }
}

/** The last prompt is that of the killed turn, once, and its ending says what happened, after all that was shown. */
function interrupted(rows, word, drawn) {
  const prompts = rows.filter((row) => row.kind === 'prompt')
  const named = new RegExp(`\\b${word}$`)
  assert.equal(prompts.filter((row) => named.test(row.text.split('\n').find((line) => line.includes('[[')) ?? '')).length, 1, 'the prompt is there once')
  assert.match(prompts.at(-1).text, new RegExp(`${word}\\b`), 'no prompt was sent after it')
  const last = rows.at(-1)
  assert.equal(last.kind, 'ending')
  assert.ok(last.sequence > drawn, 'the ending comes after everything that was shown')
  assert.match(last.text, /Interrupted by a restart/)
}

/** Waits until the last row is text that was not there before. */
async function moreText(had) {
  await eventually('text of the turn', async () => {
    const last = (await person.rows()).at(-1)
    return last?.kind === 'text' && !had.has(last.id)
  })
}

async function runCommand() {
  await person.answer(await person.card(), 'Allow once')
  await eventually('the command', () => window.spawned().some((one) => one.command.trim() === 'sleep 988'))
}
