// What a person sees: one line per step, and one plain next step when something fails.
const colour = process.stdout.isTTY && !process.env.NO_COLOR
const paint = (code) => (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
export const bold = paint('1')
export const dim = paint('2')
export const red = paint('31')
export const green = paint('32')
export const yellow = paint('33')

/** A failure that a person can act on: what happened, and the next step. */
export class Stop extends Error {
  constructor(message, next) {
    super(message)
    this.next = next
  }
}

export const step = (text) => console.log(`${bold('›')} ${text}`)
export const note = (text) => console.log(`  ${dim(text)}`)

export const seconds = (ms) => (ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`)

/** Says a step, does it, says how long it took. */
export async function timed(text, work) {
  const from = Date.now()
  step(text)
  const value = await work()
  note(`done in ${seconds(Date.now() - from)}`)
  return value
}

/** Runs a script's main function; a `Stop` ends it with its next step instead of a stack. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    console.error(`\n${red('✗')} ${error.message}`)
    if (error.next) console.error(`  Next: ${error.next}`)
    process.exitCode = 1
  }
}
