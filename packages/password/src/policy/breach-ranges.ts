import { abortAfter, wallClock } from '@latchkey/core/internal'
import { abortable } from '../abortable.ts'
import { checkInteger } from '../check-integer.ts'
import type { BreachCheckOptions } from './breach-check-options.ts'

/** Returns the digests of a range, without the prefix that all of them share. */
export type ReadRange = (prefix: string) => Promise<ReadonlySet<string>>

/** More than any padded range has, so that a wrong address cannot fill the memory. */
const maximumLength = 1_000_000

/** Creates a reader of ranges that asks the service once for each while it is kept or on its way. */
export function createBreachRanges(options: BreachCheckOptions): ReadRange {
  const { fetch = globalThis.fetch, url = 'https://api.pwnedpasswords.com/range/', now = wallClock } = options
  const deadlineMs = checkInteger('deadlineMs', options.deadlineMs ?? 1000, 1, 60_000)
  const cacheLimit = checkInteger('cacheLimit', options.cacheLimit ?? 50, 0, 100_000)
  const cacheMs = checkInteger('cacheSeconds', options.cacheSeconds ?? 86_400, 0, 31_536_000) * 1000
  checkAddress(url)
  const kept = new Map<string, { readonly range: ReadonlySet<string>; readonly until: number }>()
  const coming = new Map<string, Promise<ReadonlySet<string>>>()

  const keep = (prefix: string, range: ReadonlySet<string>): void => {
    kept.set(prefix, { range, until: now() + cacheMs })
    const [oldest] = kept.keys()
    if (kept.size > cacheLimit && oldest !== undefined) kept.delete(oldest)
  }
  const ask = async (prefix: string): Promise<ReadonlySet<string>> => {
    const range = parseRange(await askService(fetch, url + prefix, deadlineMs))
    keep(prefix, range)
    return range
  }

  return (prefix) => {
    const known = kept.get(prefix)
    kept.delete(prefix)
    if (known && known.until > now()) {
      // Inserted again as the newest.
      kept.set(prefix, known)
      return Promise.resolve(known.range)
    }
    const range = coming.get(prefix) ?? ask(prefix).finally(() => coming.delete(prefix))
    coming.set(prefix, range)
    return range
  }
}

/** Padding adds entries with a count of zero, so that the length of an answer does not reveal which range it is. */
async function askService(
  fetch: NonNullable<BreachCheckOptions['fetch']>,
  url: string,
  deadlineMs: number,
): Promise<string> {
  const signal = abortAfter(deadlineMs)
  const headers = { 'Add-Padding': 'true', 'User-Agent': 'latchkey-password' }
  const read = async (): Promise<string> => {
    const response = await fetch(url, { headers, signal })
    if (!response.ok) throw new Error(`the breach service answered ${response.status}`)
    return response.text()
  }
  // An injected fetch may ignore the signal.
  return abortable(read(), signal)
}

/** Lines of 35 hexadecimal digits, a colon and a count. */
function parseRange(text: string): ReadonlySet<string> {
  if (text.length > maximumLength) throw new Error('the breach service answered more than a range')
  const lines = text.split(/\r?\n/).filter((line) => line !== '')
  if (lines.length === 0 || !lines.every((line) => /^[0-9A-F]{35}:\d+$/.test(line))) {
    throw new Error('the breach service answered something that is no range')
  }
  return new Set(lines.filter((line) => !/:0+$/.test(line)).map((line) => line.slice(0, 35)))
}

function checkAddress(url: string): void {
  const { protocol, hostname } = URL.parse(url) ?? { protocol: '', hostname: '' }
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback)) return
  throw new TypeError('"url" must be an https address')
}
