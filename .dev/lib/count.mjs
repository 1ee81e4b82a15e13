// Reads how many tests passed, failed and were skipped from what the runners print. One reader per runner and line; a
// runner's closing block is read line by line as it comes, so nothing has to be kept.

const ESCAPES = /\u001b\[[0-9;]*m/g
const number = (text) => Number(text ?? 0)
const part = (text, word) => number(new RegExp(`(\\d+) ${word}`).exec(text)?.[1])

export class Count {
  passed = 0
  failed = 0
  skipped = 0
  /** Whether any runner's closing line was seen. */
  seen = false

  add(passed, failed, skipped) {
    this.seen = true
    this.passed += passed
    this.failed += failed
    this.skipped += skipped
  }

  /** Feeds one line of output. */
  line(raw) {
    const line = raw.replace(ESCAPES, '').trimEnd()
    return this.#cargo(line) || this.#nextest(line) || this.#node(line) || this.#vitest(line) || this.#plain(line)
  }

  // test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s
  #cargo(line) {
    if (!/^test result: /.test(line)) return false
    this.add(part(line, 'passed'), part(line, 'failed'), part(line, 'ignored'))
    return true
  }

  //      Summary [   0.105s] 42 tests run: 41 passed (1 slow), 1 failed, 3 skipped
  #nextest(line) {
    if (!/^\s*Summary \[.*\] \d+(\/\d+)? tests? run: /.test(line)) return false
    this.add(part(line, 'passed'), part(line, 'failed') + part(line, 'timed out'), part(line, 'skipped'))
    return true
  }

  // ℹ pass 12   or, in TAP,   # pass 12
  #node(line) {
    const match = /^(?:ℹ|#) (pass|fail|cancelled|skipped|todo) (\d+)$/.exec(line)
    if (!match) return false
    const count = number(match[2])
    if (match[1] === 'pass') this.add(count, 0, 0)
    else if (match[1] === 'fail' || match[1] === 'cancelled') this.add(0, count, 0)
    else this.add(0, 0, count)
    return true
  }

  //       Tests  1 failed | 12 passed | 2 skipped (15)
  #vitest(line) {
    if (!/^\s+Tests\s{2,}.*\(\d+\)$/.test(line)) return false
    this.add(part(line, 'passed'), part(line, 'failed'), part(line, 'skipped') + part(line, 'todo'))
    return true
  }

  // 12 passed, 0 failed
  #plain(line) {
    const match = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line)
    if (!match) return false
    this.add(number(match[1]), number(match[2]), number(match[3]))
    return true
  }
}
