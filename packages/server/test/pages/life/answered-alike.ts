import { createBench, passwords } from '../../support/bench.ts'
import { ownForm } from '../../support/forms.ts'

/** What an answer shows to who measures and compares, and the work before it. */
export interface Shown {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /** The calls of stores that were made before the answer, in their order. */
  readonly calls: readonly string[]
  readonly hashes: number
}

/** Creates a service that notes what is done before a form is answered. */
export function createComparingBench() {
  const calls: string[] = []
  let hashes = 0
  const bench = createBench({
    around(call, run) {
      calls.push(call)
      return run()
    },
    options: {
      passwords: {
        ...passwords,
        hash(...input) {
          hashes += 1
          return passwords.hash(...input)
        },
        verify(...input) {
          hashes += 1
          return passwords.verify(...input)
        },
      },
    },
  })

  /**
   * Sends a form, as a browser that was never here unless its cookies are given. What is different in every answer is left
   * out.
   */
  async function show(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    // What an answer before this one has left to do is done.
    await (await bench.server.accounts()).settled()
    calls.length = 0
    hashes = 0
    const init = { method: 'POST', body: new URLSearchParams(fields), headers: { ...ownForm, ...headers } }
    const response = await bench.server.fetch(new Request(`https://example.com${path}`, init))
    // Mails are written in a later turn than the answer.
    const before = { calls: [...calls], hashes }
    const shown = [...response.headers].map(([name, value]): [string, string] => [name, withoutChance(name, value)])
    const body = (await response.text()).replace(/nonce="[^"]*"/, '')
    return { status: response.status, headers: shown, body, ...before }
  }
  return { ...bench, show }
}

function withoutChance(name: string, value: string): string {
  if (name === 'x-request-id') return ''
  return value.replace(/'nonce-[^']*'/g, '').replace(/^(__Host-[\w-]+=)[^;]*/, '$1')
}
