// What a person does in the window, in the words of the tests. Everything is found by name or by what it is.
import { allRows, rowsOf, toEnd } from './scroll.mjs'
import { PAINT_MS, TURN_MS, eventually } from './wait.mjs'

export { PAINT_MS, TURN_MS, eventually }

const CARD = 'main [data-decision]:not([data-closed])'
const COMPOSER = 'main section[aria-label=Message] textarea[aria-label=Message]'

export class Person {
  /** Number of the last event that the open chat showed before the last prompt was sent. */
  #before = 0

  constructor(window) {
    this.window = window
  }

  get browser() {
    return this.window.browser
  }

  async atShell() {
    await this.browser.$('[data-testid=shell]').waitForDisplayed({ timeout: PAINT_MS })
  }

  /** Runs a function in the page with plain arguments. */
  look(code, ...args) {
    return this.browser.execute(code, ...args)
  }

  /** Clicks the first enabled button whose text begins so, waiting for it. */
  async press(text, within = 'body') {
    const click = (text, within) => {
      const kinds = ['button', '[role=radio]', '[role=option]', 'a', 'label'].map((kind) => `${within} ${kind}`)
      const off = (one) => one.disabled || one.getAttribute('aria-disabled') === 'true'
      const all = [...document.querySelectorAll(kinds.join())]
      const found = all.find((one) => one.textContent.trim().startsWith(text) && !off(one))
      found?.click()
      return Boolean(found)
    }
    await eventually(`button "${text}" in ${within}`, () => this.look(click, text, within), PAINT_MS)
  }

  /** Presses a button of one card. */
  answer(card, text) {
    return this.press(text, `[data-decision="${card.id}"]`)
  }

  /** Presses the Stop of the running turn; an ending that begins with the same word is no button of it. */
  async stop() {
    const click = () => {
      const button = document.querySelector('main [data-testid=stop]:not(:disabled)')
      button?.click()
      return Boolean(button)
    }
    await eventually('the Stop of a running turn', () => this.look(click), PAINT_MS)
  }

  /** Types into a field, key by key. */
  async type(selector, text) {
    const field = await this.browser.$(selector)
    await field.waitForDisplayed({ timeout: PAINT_MS })
    await field.click()
    await field.addValue(text)
  }

  keys(...keys) {
    return this.browser.keys(keys)
  }

  /** Chooses a folder by its beginning: Tab completes it, or the arrow walks to the offer and Enter takes it. */
  async chooseFolder(folder, by = 'Tab') {
    const field = await this.browser.$('main input[role=combobox]')
    await field.waitForDisplayed({ timeout: PAINT_MS })
    await field.click()
    await this.keys('Control', 'a')
    await field.addValue(folder.slice(0, -2))
    // The offers of an empty field are recent folders; they stand until the answer to what was typed is there.
    const offered = (path) => {
      const list = document.querySelector('main [role=listbox]')
      const offers = [...(list?.querySelectorAll('[role=option]') ?? [])]
      return !list?.innerText.includes('Recent folders') && offers.some((one) => one.innerText.includes(path))
    }
    await eventually('an offer', () => this.look(offered, folder), PAINT_MS)
    if (by === 'Tab') await this.keys('Tab')
    else {
      await this.keys('ArrowDown')
      await this.keys('Enter')
    }
    const whole = async () => (await field.getValue()).replace(/\/$/, '') === folder
    await eventually(`the folder completed by ${by}`, whole, PAINT_MS)
  }

  /** Starts a chat in a folder on the practice model; resolves to the chat's id. */
  async newChat(folder, prompt, by = 'Tab') {
    await this.keys('Control', 'n')
    await this.chooseFolder(folder, by)
    await this.press('Practice', 'main')
    await this.type('main textarea', prompt)
    await this.press('Send', 'main')
    this.#before = 0
    return eventually('the chat', () => this.look(() => /^#\/chat\/(.+)/.exec(location.hash)?.[1]), PAINT_MS)
  }

  /** Opens a chat from the sidebar. */
  async openChat(id) {
    const link = await this.browser.$(`a[data-state][href*="${id}"]`)
    await link.waitForExist({ timeout: PAINT_MS })
    await link.click()
    await this.browser.$(COMPOSER).waitForDisplayed({ timeout: PAINT_MS })
    await eventually('rows', async () => (await this.rows()).length > 0, PAINT_MS)
  }

  async openInbox() {
    await (await this.browser.$('a[href="#/inbox"]')).click()
  }

  /** Writes a prompt in the open chat, which rests, sends it, and waits until the chat shows that it is stored. */
  send(prompt) {
    return this.sendBy(async () => {
      await this.type(COMPOSER, prompt)
      await this.keys('Enter')
    })
  }

  /** The same, sent in a way of its own. */
  async sendBy(way) {
    await toEnd(this.browser)
    this.#before = lastOf(await this.rows())
    await way()
    const stored = (row) => row.kind !== 'ending' && row.sequence > this.#before
    await eventually('the prompt in the chat', async () => (await this.rows()).some(stored), PAINT_MS)
  }

  /** Writes a prompt while a turn runs and puts it into the queue. */
  async queue(prompt) {
    await this.type(COMPOSER, prompt)
    await this.keys('Enter')
  }

  composed() {
    return this.look((selector) => document.querySelector(selector)?.value, COMPOSER)
  }

  async clearComposer() {
    await (await this.browser.$(COMPOSER)).click()
    await this.keys('Control', 'a')
    await this.keys('Delete')
  }

  typeInComposer(text) {
    return this.type(COMPOSER, text)
  }

  /** Rows of the open chat that are drawn, in order: [{ id, kind, sequence, text }]. */
  rows() {
    return rowsOf(this.browser)
  }

  /** Every row of the open chat, also those that are only drawn, or only read, when scrolled to. */
  allRows() {
    return allRows(this.browser)
  }

  /** Goes to the end of the open chat and waits until it is drawn. */
  toEnd() {
    return toEnd(this.browser)
  }

  async texts() {
    return (await this.rows()).filter((row) => row.kind === 'text').map((row) => row.text)
  }

  async endings() {
    return (await this.rows()).filter((row) => row.kind === 'ending')
  }

  /** The open card, once there is one: { id, text }. `after`: an older card that does not count. */
  card(after = null) {
    const find = (selector, after) => {
      const card = [...document.querySelectorAll(selector)].find((one) => one.dataset.decision !== after)
      return card ? { id: card.dataset.decision, text: card.innerText } : null
    }
    return eventually('a card', () => this.look(find, CARD, after))
  }

  /** Waits for the end of the turn of the last prompt; fails at once if anything is asked on the way. */
  endedUnasked() {
    const look = async () => {
      if (await this.openCards()) throw new Error('a card opened')
      return this.#end()
    }
    return this.#drawn(eventually('the end of a turn that asks nothing', look))
  }

  /** Brings the end of a long card on screen: until then it cannot be allowed. */
  toEndOf(card) {
    return this.answer(card, 'Allow opens once the end was on screen')
  }

  openCards() {
    return this.look((selector) => document.querySelectorAll(selector).length, CARD)
  }

  /** Id of the card that has the focus itself. */
  focusedCard() {
    return this.look(() => document.activeElement?.dataset.decision ?? null)
  }

  /** Names of states of the chats in the sidebar. */
  states() {
    return this.look(() => [...document.querySelectorAll('a[data-state]')].map((one) => one.dataset.state))
  }

  /** Whether the open chat shows a running turn. */
  running() {
    return this.look(() => {
      const all = [...document.querySelectorAll('main button')]
      return all.some((one) => ['Stop', 'Kill the process tree'].includes(one.textContent.trim()))
    })
  }

  /** The chosen permission mode of the open chat. */
  mode() {
    return this.look(() => document.querySelector('main button[aria-label^="Permissions:"]')?.getAttribute('aria-label'))
  }

  /** Waits for the end of the turn of the last prompt; resolves to the text of its ending. */
  ended(ms = TURN_MS) {
    return this.#drawn(eventually('the end of the turn', () => this.#end(), ms))
  }

  /** Waits until the end of the chat stands still, so that what follows reads rows that are there. */
  async #drawn(ending) {
    const text = await ending
    await toEnd(this.browser)
    return text
  }

  async #end() {
    const last = (await this.rows()).at(-1)
    if (last?.kind !== 'ending' || last.sequence <= this.#before) return null
    return (await this.running()) ? null : last.text
  }
}

/** Number of the last event that rows show. Without numbers no end could be told from an older one. */
function lastOf(rows) {
  const numbers = rows.map((row) => row.sequence)
  if (numbers.some((number) => !Number.isInteger(number) || number < 1)) throw new Error('a row does not say its number')
  return Math.max(0, ...numbers)
}
