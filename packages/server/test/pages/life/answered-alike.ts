import { createBench, passwords } from '../../support/bench.ts'
import { ownForm } from '../../support/forms.ts'

type Headings = Readonly<Record<string, string>>

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
      signIn: {
        emailCode: {},
        passwordHasher: {
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
    },
  })

  /** Sends a request after all others are done. What is different in every answer is left out. */
  async function send(path: string, init: RequestInit): Promise<Shown> {
    // What an answer before this one has left to do is done.
    await (await bench.server.accounts()).settled()
    calls.length = 0
    hashes = 0
    const response = await bench.server.fetch(new Request(`https://example.com${path}`, { method: 'POST', ...init }))
    // Mails are written in a later turn than the answer.
    const before = { calls: [...calls], hashes }
    const shown = [...response.headers].map(([name, value]): [string, string] => [name, withoutChance(name, value)])
    const body = (await response.text()).replace(/nonce="[^"]*"/, '')
    return { status: response.status, headers: shown, body, ...before }
  }
  return {
    ...bench,
    /** The cookie of a browser that has asked for a code for that address. */
    async askForCode(email: string): Promise<Headings> {
      const visitor = bench.visitor()
      await visitor.post('/sign-in-code', { email }, ownForm)
      return { cookie: `__Host-sign-in-code=${visitor.jar.get('__Host-sign-in-code')}` }
    },
    /** Sends a form, as a browser that was never here unless its cookies are given. */
    show: (path: string, fields: Headings, headers: Headings = {}): Promise<Shown> =>
      send(path, { body: new URLSearchParams(fields), headers: { ...ownForm, ...headers } }),
    /** Asks the endpoint, as one who has no cookies. */
    ask: (query: string, input: object, headers: Headings = {}): Promise<Shown> =>
      send('/graphql', {
        body: JSON.stringify({ query, variables: { input } }),
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
      }),
  }
}

function withoutChance(name: string, value: string): string {
  if (name === 'x-request-id') return ''
  return value.replace(/'nonce-[^']*'/g, '').replace(/^(__Host-[\w-]+=)[^;]*/, '$1')
}
