import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attack } from '../support/hostile-client.ts'
import { hostileCorpus } from '../support/hostile-corpus.ts'
import { bearer, cookie } from '../support/service.ts'

// Two minutes, and worth something on a quiet machine only:
// LATCHKEY_LONG=1 vitest run packages/graphql/test/handler/hostile-neighbour.test.ts
const isLong = process.env.LATCHKEY_LONG === '1'
/** What else a busy machine does comes and goes: each is taken at its quietest of so many rounds, which alternate. */
const rounds = isLong ? 1 : 5
const slowerAtMost = isLong ? 2 : 20
const count = isLong ? 300 : 30
const askers: readonly (readonly [who: string, headers: Readonly<Record<string, string>>])[] = [
  ['a client with a token', bearer('author')],
  ...(isLong
    ? ([
        ['no identity', {}],
        ['a client with a cookie', cookie('author')],
      ] as const)
    : []),
]
/** Two of the dearest stand for all of them. */
const isDear = (what: string) => what === 'a field 1 990 times' || what === '99 kB of open brackets'
const lines = hostileCorpus.map(({ what }, index) => [what, index] as const).filter(([what]) => isLong || isDear(what))

let server: ChildProcess
let attacker: ChildProcess
let url: string
const start = (file: URL): ChildProcess =>
  fork(fileURLToPath(file), [], { execArgv: ['--conditions=@latchkey/source', '--no-warnings'] })

beforeAll(async () => {
  server = start(new URL('../support/hostile-service.ts', import.meta.url))
  attacker = start(new URL('../support/hostile-client.ts', import.meta.url))
  const [message] = await once(server, 'message')
  url = message as string
})
afterAll(() => {
  server.disconnect()
  attacker.disconnect()
})

/** The middle of some honest requests, one after the other. */
async function honestMs(): Promise<number> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{ hello }"}' }
  const spent: number[] = []
  while (spent.length < count) {
    const started = performance.now()
    expect(await (await fetch(url, init)).json()).toEqual({ data: { hello: 'Hello you' } })
    spent.push(performance.now() - started)
  }
  return spent.sort((a, b) => a - b)[count >> 1] ?? Number.NaN
}

const command = (attack: Attack) => attacker.send(attack)

describe.each(askers)(
  'honest requests take at most twice as long beside %s who sends, 50 times a second,',
  (_who, headers) => {
    test.each(lines)('%s', { timeout: 180_000 }, async (what, index) => {
      const stop: Attack = { url, index: -1, headers, pauseMs: 0 }
      let [alone, beside] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
      for (let round = 0; round < rounds; round++) {
        command(stop)
        await honestMs()
        alone = Math.min(alone, await honestMs())
        command({ url, index, headers, pauseMs: 20 })
        await honestMs()
        beside = Math.min(beside, await honestMs())
      }
      const figures = [alone, beside]
      if (isLong) {
        command({ url, index, headers, pauseMs: 0 })
        figures.push(await honestMs())
        process.stdout.write(`${what}: ms alone, beside, beside without pause: ${figures.map((ms) => ms.toFixed(2))}\n`)
      }
      command(stop)
      expect(beside).toBeLessThan(slowerAtMost * alone)
    })
  },
)
