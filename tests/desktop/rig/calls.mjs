// The page's calls to the host, watched or withheld. They leave the page as requests whose last part is the command.
//
// `watchCalls` notes when each command was first called; `withhold` lets a command go nowhere, as a page does that hangs.

/** Runs in the page. */
function pageWatch(withheld) {
  const real = window.rigFetch ?? window.fetch
  window.rigFetch = real
  window.rigCalls ??= {}
  window.fetch = (input, ...rest) => {
    const name = new URL(typeof input === 'string' ? input : input.url).pathname.split('/').pop()
    window.rigCalls[name] ??= []
    window.rigCalls[name].push(Date.now())
    return withheld.includes(name) ? new Promise(() => {}) : real.call(window, input, ...rest)
  }
}

/** From now on every call is noted; those to `withheld` get no answer and never reach the host. */
export const watchCalls = (browser, ...withheld) => browser.execute(pageWatch, withheld)

/** Times of the calls of one command, in milliseconds since 1970. */
export const callsOf = (browser, name) => browser.execute((name) => window.rigCalls?.[name] ?? [], name)

/** Runs in the page. An ending of an older turn that is only drawn again, because the list moved, is no new one. */
function pageNoteEnding() {
  const numberOf = (row) => Number(row.dataset.sequence)
  const least = Math.max(0, ...[...document.querySelectorAll('main [data-row][data-kind]')].map(numberOf))
  const ended = () => [...document.querySelectorAll('main [data-kind=ending]')].some((row) => numberOf(row) > least)
  window.rigEnding = null
  new MutationObserver((_, observer) => {
    if (!ended()) return
    window.rigEnding = Date.now()
    observer.disconnect()
  }).observe(document.querySelector('main'), { childList: true, subtree: true })
}

/** From now on the moment is noted at which the next ending is drawn. */
export const noteEnding = (browser) => browser.execute(pageNoteEnding)

/** That moment, in milliseconds since 1970; null: not yet. */
export const endingDrawn = (browser) => browser.execute(() => window.rigEnding)
