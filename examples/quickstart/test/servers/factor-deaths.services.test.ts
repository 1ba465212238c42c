import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { findFreePort } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type App,
  addAccounts,
  confirmApp,
  dataOf,
  enrollApp,
  enrollPasskey,
  finishRegistration,
  operations,
  passkeyOrigin,
  publicUrl,
  renewCsrfToken,
  showPassword,
  signWithPasskey,
  startApp,
  startRegistration,
  withStores,
} from '../support/second-factors.ts'
import { type Environment, nodeStart, startQuickstart, temporaryDirectory } from '../support/start-quickstart.ts'
import { type StoppingQuickstart, startStoppingQuickstart } from '../support/stopping-quickstart.ts'
import type { Answer, Visitor } from '../support/visitor.ts'

// A process that dies at any moment of a change leaves an account that its owner can open, and no one else. Each change
// takes a process for each of its writes: one that adds a factor and one that removes one are tried after every third write, in
// the long mode all after each. In one process factor-crashes.test.ts of @latchkey/accounts tries each write of all.

const isLong = process.env.TEST_TIER === '3'

/** How many writes lie between two after which a process dies. */
const step = isLong ? 1 : 3

/** No change of a factor writes so often. */
const writesAtMost = 40

/** The clock of each process is so much later: none waits for the next code. */
const stepMs = 120_000

/** What the owner has. */
interface Owned {
  readonly app?: App
  readonly authenticator?: SoftwareAuthenticator
  readonly passkeyId?: string
  readonly codes?: readonly string[]
}

/** One account, at the process that is up. */
interface Place {
  readonly url: string
  readonly email: string
  readonly skewMs: number
  stored(): Promise<StoredFactors>
}

interface StoredFactors {
  /** Of factors in force, and of recovery codes. */
  readonly kinds: readonly string[]
  /** What the column of the account names. */
  readonly enrolled: readonly string[]
}

interface Change {
  readonly title: string
  readonly kind: 'totp' | 'passkey'
  /** Leads to the moment before the change. */
  prepare(visitor: Visitor, place: Place): Promise<{ readonly owned: Owned; readonly ask: () => Promise<Answer> }>
  /** What holds once the change was answered. */
  expectDone(kinds: readonly string[], answer: Answer): void
  /** Makes the change once more, as who signed in with all that was asked for, and looks at what has come of it. */
  repeat(visitor: Visitor, owned: Owned, place: Place): Promise<void>
}

/** Shows the password, then the factor that is asked for. */
async function signIn({ url, email, skewMs }: Place, { app, authenticator }: Owned): Promise<Visitor> {
  const { visitor, status, challenge, factors } = await showPassword(url, email)
  if (status === 'SIGNED_IN') return visitor
  if (factors.includes('totp')) {
    const input = { challenge, code: app?.nextCode(skewMs) }
    visitor.csrfToken = dataOf(await visitor.ask(operations.verify, { input })).verifySecondFactor.csrfToken
    return visitor
  }
  if (!authenticator) throw new Error(`the owner has none of ${factors}`)
  const input = { challenge, response: await signWithPasskey(visitor, authenticator, challenge) }
  visitor.csrfToken = dataOf(await visitor.ask(operations.finishPasskey, { input })).finishPasskeySignIn.csrfToken
  return visitor
}

async function statusOfPassword({ url, email }: Place): Promise<string> {
  return (await showPassword(url, email)).status
}

/** Whether a recovery code signs in. */
async function isAccepted({ url, email }: Place, code = ''): Promise<boolean> {
  const { visitor, challenge } = await showPassword(url, email)
  const answer = await visitor.ask(operations.verify, { input: { challenge, code } })
  expect([200, 401]).toContain(answer.status)
  return answer.status === 200
}

const enrollments: readonly Change[] = [
  {
    title: 'confirmTotpEnrollment',
    kind: 'totp',
    async prepare(visitor, { skewMs }) {
      const app = await startApp(visitor)
      return { owned: { app }, ask: () => confirmApp(visitor, app, skewMs) }
    },
    expectDone: (kinds) => expect(kinds).toEqual(expect.arrayContaining(['totp', 'recovery-code'])),
    async repeat(visitor, _owned, place) {
      const { app } = await enrollApp(visitor, place.skewMs)
      expect((await place.stored()).kinds).toEqual(expect.arrayContaining(['totp', 'recovery-code']))
      expect(await statusOfPassword(place)).toBe('SECOND_FACTOR_REQUIRED')
      dataOf(await (await signIn(place, { app })).ask(operations.viewer))
    },
  },
  {
    title: 'finishPasskeyRegistration',
    kind: 'passkey',
    async prepare(visitor) {
      const authenticator = createSoftwareAuthenticator({ origin: passkeyOrigin })
      const response = await startRegistration(visitor, authenticator)
      return { owned: { authenticator }, ask: () => finishRegistration(visitor, response) }
    },
    expectDone: (kinds) => expect(kinds).toEqual(expect.arrayContaining(['passkey', 'recovery-code'])),
    async repeat(visitor, _owned, place) {
      const { authenticator } = await enrollPasskey(visitor)
      expect((await place.stored()).kinds).toEqual(expect.arrayContaining(['passkey', 'recovery-code']))
      expect(await statusOfPassword(place)).toBe('SECOND_FACTOR_REQUIRED')
      dataOf(await (await signIn(place, { authenticator })).ask(operations.viewer))
    },
  },
]

const removals: readonly Change[] = [
  {
    title: 'disableTotp',
    kind: 'totp',
    async prepare(visitor, { skewMs }) {
      const owned = await enrollApp(visitor, skewMs)
      const input = { code: owned.app.nextCode(skewMs) }
      return { owned, ask: () => visitor.ask(operations.disable, { input }) }
    },
    expectDone: (kinds) => expect(kinds).toEqual([]),
    async repeat(visitor, { app }, place) {
      if ((await place.stored()).kinds.includes('totp')) {
        dataOf(await visitor.ask(operations.disable, { input: { code: app?.nextCode(place.skewMs) } }))
        expect((await place.stored()).kinds).toEqual([])
      }
      expect(await statusOfPassword(place)).toBe('SIGNED_IN')
    },
  },
  {
    title: 'removePasskey',
    kind: 'passkey',
    async prepare(visitor) {
      const owned = await enrollPasskey(visitor)
      return { owned, ask: () => visitor.ask(operations.remove, { id: owned.passkeyId }) }
    },
    expectDone: (kinds) => expect(kinds).toEqual([]),
    async repeat(visitor, { passkeyId }, place) {
      const isThere = (await place.stored()).kinds.includes('passkey')
      const { removePasskey } = dataOf(await visitor.ask(operations.remove, { id: passkeyId }))
      expect(removePasskey).toBe(isThere)
      if (isThere) expect((await place.stored()).kinds).toEqual([])
      expect(await statusOfPassword(place)).toBe('SIGNED_IN')
    },
  },
  {
    title: 'regenerateRecoveryCodes',
    kind: 'totp',
    async prepare(visitor, { skewMs }) {
      const owned = await enrollApp(visitor, skewMs)
      const input = { code: owned.app.nextCode(skewMs) }
      return { owned, ask: () => visitor.ask(operations.regenerate, { input }) }
    },
    expectDone: (kinds) => expect([...kinds].sort()).toEqual(['recovery-code', 'totp']),
    async repeat(visitor, { app, codes = [] }, place) {
      // Whichever set is in force, the app stays.
      expect([...(await place.stored()).kinds].sort()).toEqual(['recovery-code', 'totp'])
      const input = { code: app?.nextCode(place.skewMs) }
      const made = dataOf(await visitor.ask(operations.regenerate, { input })).regenerateRecoveryCodes
      expect(made.codes).toHaveLength(10)
      expect(await isAccepted(place, codes[1])).toBe(false)
      expect(await isAccepted(place, made.codes[0])).toBe(true)
    },
  },
]

const deciding = ['confirmTotpEnrollment', 'removePasskey']
const tried = [...enrollments, ...removals].filter(({ title }) => isLong || deciding.includes(title))

describe('a process that dies after any write of', { timeout: 400_000 }, () => {
  test.each(tried.map((change) => [change.title, change] as const))(
    'a death during %s leaves an account with or without its factor, and its owner signs in',
    async (_title, change) => void (await dieAfterEachWrite(change)),
  )

  test.each((isLong ? enrollments : []).map((change) => [change.title, change] as const))(
    'a death during %s leaves this account, even if the password was shown at another process after each write',
    async (_title, change) => {
      let other: string | null = null
      await dieAfterEachWrite(change, async (email, environment) => {
        other ??= await startOther(environment)
        const { kinds } = await readStored(environment, email)
        const { status } = await showPassword(other, email)
        expect(status).toBe(kinds.includes(change.kind) ? 'SECOND_FACTOR_REQUIRED' : 'SIGNED_IN')
      })
    },
  )
})

async function startOther(environment: Environment): Promise<string> {
  const other = await startQuickstart({ ...environment, PORT: String(await findFreePort()) }, nodeStart)
  onTestFinished(() => other.kill())
  return other.url
}

/** What an account was left with. */
interface Left {
  readonly email: string
  readonly owned: Owned
  readonly answer: Answer | null
  /** No one else has read the account meanwhile, who would have repaired its column. */
  readonly isUntouched: boolean
}

async function dieAfterEachWrite(
  change: Change,
  between?: (email: string, environment: Environment) => Promise<void>,
): Promise<void> {
  const environment = { DATA_DIR: await temporaryDirectory(), PUBLIC_URL: publicUrl }
  let left: Left | null = null
  let process: StoppingQuickstart | null = null
  onTestFinished(async () => void (await process?.service.kill()))
  for (let writes = 1; writes <= writesAtMost; writes += step) {
    const skewMs = writes * stepMs
    const PORT = String(await findFreePort())
    process = await startStoppingQuickstart({ ...environment, PORT, SKEW_MS: String(skewMs) })
    const { url } = process.service
    if (left) await expectSound(change, left, placeOf(environment, { url, email: left.email, skewMs }))
    if (left?.answer) return expect(writes).toBeGreaterThan(4)
    const email = `owner-${writes}@example.com`
    await addAccounts(environment, [email])
    const { visitor } = await showPassword(url, email)
    const { owned, ask } = await change.prepare(visitor, placeOf(environment, { url, email, skewMs }))
    const answer = await process.killAfter(writes, ask, between && (() => between(email, environment)))
    left = { email, owned, answer, isUntouched: !between }
  }
  throw new Error('it never ended')
}

function placeOf(environment: Environment, { email, ...rest }: Omit<Place, 'stored'>): Place {
  return { email, ...rest, stored: () => readStored(environment, email) }
}

function readStored(environment: Environment, email: string): Promise<StoredFactors> {
  return withStores(environment, async ({ accounts, documents }) => {
    const account = await accounts.getByEmail(email)
    if (!account || !documents) throw new Error('there is no such account')
    const { items } = await documents.listByOwner(account.id, {
      collections: ['factor-totp', 'factor-passkey', 'factor-recovery-code'],
    })
    return { kinds: items.map(({ collection }) => collection.slice('factor-'.length)), enrolled: account.enrolled }
  })
}

/** The column names every factor that is in force: who reads the account alone misses none. */
async function expectNamed(place: Place): Promise<StoredFactors> {
  const stored = await place.stored()
  const inForce = stored.kinds.filter((kind) => kind !== 'recovery-code')
  expect(stored.enrolled).toEqual(expect.arrayContaining(inForce))
  return stored
}

async function expectSound(change: Change, { answer, owned, isUntouched }: Left, place: Place): Promise<void> {
  const { kinds } = isUntouched ? await expectNamed(place) : await place.stored()
  const isInForce = kinds.includes(change.kind)
  if (answer) change.expectDone(kinds, answer)
  const asked = await showPassword(place.url, place.email)
  expect([asked.status, asked.factors.includes(change.kind)]).toEqual(
    isInForce ? ['SECOND_FACTOR_REQUIRED', true] : ['SIGNED_IN', false],
  )
  const visitor = await signIn(place, owned)
  await expectNamed(place)
  await renewCsrfToken(visitor)
  await change.repeat(visitor, owned, place)
}
