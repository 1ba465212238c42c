import { allowNativeDelivery } from '@latchkey/accounts'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, newPassword, password, type SignedIn } from '../support/bench.ts'
import { type Answer, signInMutation } from '../support/visitor.ts'

interface Scene {
  readonly bench: Bench
  readonly visitor: SignedIn
  readonly store: { calls: number; isDown: (call: number) => boolean }
}

/** Something to ask for, and what has to be there before: the token of a link, the id of an account. */
interface Operation {
  readonly prepare?: (scene: Scene) => Promise<string>
  readonly run: (scene: Scene, prepared: string) => Promise<Answer>
  /** Whether it was done. Once the account is gone there is nothing left that a cookie opens. */
  readonly hasEnded?: (prepared: string) => Promise<boolean>
  /** Whether the session of before is still valid: then a change is not acknowledged, even if it is made. */
  readonly hasLeftSession?: (scene: Scene) => Promise<boolean>
}

type Delivery = 'SESSION' | 'TOKEN'

const store: Scene['store'] = { calls: 0, isDown: () => false }
const bench = createBench({
  // An attempt that a store has failed stays counted: these are many, of one address.
  options: {
    sessions: { nativeDelivery: allowNativeDelivery },
    signIn: { attemptLimits: { perAddress: 1_000_000 } },
    accounts: { deletion: { onDelete: () => {} } },
  },
  around: async (call, run) => {
    if (store.isDown(store.calls++)) throw new StoreError('STORE_UNAVAILABLE', `10.0.0.7 refused ${call}`)
    return run()
  },
})

/** The same service, with a new visitor. */
async function stage(delivery: Delivery): Promise<Scene> {
  return { bench, store, visitor: await bench.signedIn('ADMIN', delivery) }
}

const asking = (query: string): Operation => ({ run: ({ visitor }) => visitor.ask(query) })
const signingIn = (delivery: string): Operation => ({
  run: ({ visitor }) => visitor.ask(signInMutation, { input: { email: visitor.account.email, password, delivery } }),
})
const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const newcomer = ({ visitor }: Scene) => ({ email: `new-${visitor.account.email}`, password, name: 'New' })
const requestReset = 'mutation ($email: String!) { requestPasswordReset(input: { email: $email }) }'

const confirmChange = 'mutation ($token: String!) { confirmEmailChange(input: { token: $token }) }'
const undoChange = 'mutation ($token: String!) { undoEmailChange(input: { token: $token }) }'

function askForAddress(visitor: SignedIn): Promise<Answer> {
  const change = 'mutation ($newEmail: String!) { requestEmailChange(input: { newEmail: $newEmail }) }'
  return visitor.ask(change, { newEmail: `new-${visitor.account.email}` })
}

/** Something that is done to another account. */
function administering(field: string, status: 'active' | 'locked' = 'active'): Operation {
  return {
    prepare: async () => (await bench.insert({ status })).id,
    run: ({ visitor }, id) => visitor.ask(`mutation ($id: ID!) { ${field} }`, { id }),
  }
}

/** Reads and first steps: they leave what is open as it is. */
const harmless: Readonly<Record<string, Operation>> = {
  viewer: asking('{ viewer { id email role } }'),
  'viewer over GET': { run: ({ visitor }) => visitor.get('/graphql?query={viewer{id}}') },
  sessions: asking('{ sessions { id } }'),
  accounts: asking('{ accounts { id } }'),
  signUp: { run: (scene) => scene.visitor.ask(signUp, { input: newcomer(scene) }) },
  requestPasswordReset: { run: ({ visitor }) => visitor.ask(requestReset, { email: visitor.account.email }) },
  verifyEmail: {
    prepare: signUpToken,
    run: ({ visitor }, token) =>
      visitor.ask('mutation ($token: String!) { verifyEmail(input: { token: $token }) }', { token }),
  },
  'the form of /verify': {
    prepare: signUpToken,
    run: ({ visitor }, token) => visitor.post('/verify', { token }),
  },
  setRole: {
    prepare: async ({ bench }) => (await bench.insert()).id,
    run: ({ visitor }, id) =>
      visitor.ask('mutation ($id: ID!) { setRole(input: { accountId: $id, role: AUTHOR }) { role } }', { id }),
  },
  findAccounts: asking('{ findAccounts(text: "reader", first: 2) { nodes { id } endCursor } }'),
  lockAccount: administering('lockAccount(id: $id) { id }'),
  unlockAccount: administering('unlockAccount(id: $id) { id }', 'locked'),
  endSessions: administering('endSessions(accountId: $id)'),
  changeName: asking('mutation { changeName(input: { name: "Ada" }) { name } }'),
  exportAccount: asking('mutation { exportAccount }'),
  requestEmailChange: { run: ({ visitor }) => askForAddress(visitor) },
  'confirmEmailChange of the session that has asked': {
    prepare: async ({ visitor }) => {
      await askForAddress(visitor)
      return bench.mailedToken(`new-${visitor.account.email}`)
    },
    run: (_scene, token) => bench.visitor().ask(confirmChange, { token }),
  },
  revokeSession: asking('mutation { revokeSession(id: "se_unknown") }'),
  revokeAllSessions: asking('mutation { revokeAllSessions }'),
}

async function signUpToken(scene: Scene): Promise<string> {
  const input = newcomer(scene)
  await bench.visitor().ask(signUp, { input })
  return bench.mailedToken(input.email)
}

async function resetToken({ bench, visitor }: Scene): Promise<string> {
  await bench.visitor().ask(requestReset, { email: visitor.account.email })
  return bench.mailedToken(visitor.account.email)
}

/** Steps that end or replace what is open. Half-way the visitor may be signed out, but no cookie is cleared. */
const ending: Readonly<Record<string, Operation>> = {
  'signIn with SESSION': signingIn('SESSION'),
  'signIn with TOKEN': signingIn('TOKEN'),
  'signIn with NATIVE': signingIn('NATIVE'),
  signOut: asking('mutation { signOut }'),
  'revokeAllSessions of all': asking('mutation { revokeAllSessions(exceptCurrent: false) }'),
  changePassword: {
    run: ({ visitor }) =>
      visitor.ask('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }', {
        input: { currentPassword: password, newPassword },
      }),
    hasLeftSession: async ({ visitor }) => (await visitor.ask('{ viewer { id } }')).status === 200,
  },
  resetPassword: {
    prepare: resetToken,
    run: ({ bench }, token) =>
      bench.visitor().ask('mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }', {
        input: { token, newPassword },
      }),
  },
  'the form of /reset': {
    prepare: resetToken,
    run: ({ bench }, token) => bench.visitor().post('/reset', { token, password: newPassword }),
  },
}

const outages = {
  'from a call on': (failing: number) => (call: number) => call >= failing,
  'at one call alone': (failing: number) => (call: number) => call === failing,
}
type Outage = (failing: number) => (call: number) => boolean

function expectOutage({ headers, text, cookies }: Answer): void {
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(text).not.toMatch(/10\.0\.0\.7|"data"/)
  expect(cookies).toEqual([])
}

/**
 * Runs an operation once for each call that it makes of a store until it answers, with an outage there. What fails once the
 * change is made is told to the operator: it is done.
 */
async function failEverywhere(
  { delivery, outage, operation }: { delivery: Delivery; outage: Outage; operation: Operation },
  check: (scene: Scene, prepared: string) => Promise<void>,
): Promise<void> {
  const start = async () => {
    const scene = await stage(delivery)
    const prepared = (await operation.prepare?.(scene)) ?? ''
    // What goes on after an answer asks the stores as well, and would be counted with the calls of the next operation.
    await (await bench.server.accounts()).settled()
    return { scene, prepared }
  }
  const healthy = await start()
  const before = healthy.scene.store.calls
  expect((await operation.run(healthy.scene, healthy.prepared)).status).toBe(200)
  const count = healthy.scene.store.calls - before
  expect(count).toBeGreaterThan(0)
  for (let call = 0; call < count; call++) {
    const { scene, prepared } = await start()
    scene.store.isDown = outage(scene.store.calls + call)
    const answer = await operation.run(scene, prepared)
    scene.store.isDown = () => false
    const said = bench.events.splice(0).map(({ type }) => type)
    // Its outcome was not written into the audit log: it is done, and answered like any other time.
    const isUnwritten = said.includes('audit.failed')
    const hasEnded = await operation.hasEnded?.(prepared)
    const hasLeftSession = answer.cookies.length === 0 && ((await operation.hasLeftSession?.(scene)) ?? false)
    const isDone = hasEnded ?? (!hasLeftSession && (isUnwritten || said.includes('clean-up.failed')))
    expect([call, answer.status]).toEqual([call, isDone ? 200 : 503])
    if (!isDone) expectOutage(answer)
    if (!hasEnded && !(isUnwritten && isDone))
      expect(answer.cookies.filter((line) => line.includes('Max-Age=0'))).toEqual([])
    await check(scene, prepared)
  }
}

const all: readonly string[] = Object.keys({ ...harmless, ...ending })
/** What only reads, or begins something, meets one failure as it meets the first of many. */
const atOnce = process.env.TEST_TIER === '3' ? all : Object.keys(ending)
const cases = [
  { delivery: 'SESSION', when: 'from a call on', outage: outages['from a call on'], of: all },
  { delivery: 'SESSION', when: 'at one call alone', outage: outages['at one call alone'], of: atOnce },
  // Over tokens only what comes before the operation is another way.
  { delivery: 'TOKEN', when: 'from a call on', outage: outages['from a call on'], of: ['viewer', 'signOut'] },
] satisfies { delivery: Delivery; when: string; outage: Outage; of: readonly string[] }[]

describe.each(cases)('signed in with $delivery, an outage $when', ({ delivery, outage, of }) => {
  const those = (operations: Readonly<Record<string, Operation>>) =>
    Object.entries(operations).filter(([name]) => of.includes(name))

  test.each(those(harmless))('is 503 at every call of %s, and keeps every session', async (_name, operation) => {
    await failEverywhere({ delivery, outage, operation }, async ({ visitor }) => {
      expect((await visitor.ask('{ viewer { id } }')).data?.viewer).toEqual({ id: visitor.account.id })
    })
  })

  test.each(those(ending))('is 503 at every call of %s, and no cookie is taken away', async (_name, operation) => {
    await failEverywhere({ delivery, outage, operation }, async (scene, prepared) => {
      const again = await operation.run(scene, prepared)
      expect(again.status).not.toBe(500)
      const { account } = scene.visitor
      const signIns = [password, newPassword].map((known) => scene.bench.visitor().signIn(account.email, known))
      expect((await Promise.all(signIns)).map(({ status }) => status)).toContain(200)
    })
  })
})

describe.each(Object.entries(outages))('an outage %s', (_when, outage) => {
  test('is 503 for undoEmailChange, and the same link restores the address once the store is back', async () => {
    const operation: Operation = {
      async prepare({ visitor }) {
        await askForAddress(visitor)
        const token = await bench.mailedToken(`new-${visitor.account.email}`)
        const undo = await bench.mailedToken(visitor.account.email)
        await bench.visitor().ask(confirmChange, { token })
        return undo
      },
      run: (_scene, token) => bench.visitor().ask(undoChange, { token }),
    }
    await failEverywhere({ delivery: 'SESSION', outage, operation }, async ({ visitor }, token) => {
      await bench.visitor().ask(undoChange, { token })
      const { id, email } = visitor.account
      expect(await bench.stores.accounts.get(id)).toMatchObject({ email, passwordHash: null })
    })
  })

  test('is 503 for deleteAccount, and the signed-in owner deletes the account once the store is back', async () => {
    const operation: Operation = {
      hasEnded: async (id) => (await bench.stores.accounts.get(id)) === null,
      async prepare({ visitor: { account } }) {
        await bench.stores.accounts.replace(account.id, {}, { roles: ['READER'] })
        return account.id
      },
      run: ({ visitor }) => visitor.ask('mutation { deleteAccount(input: { confirm: true }) }'),
    }
    await failEverywhere({ delivery: 'SESSION', outage, operation }, async (scene, id) => {
      if (await bench.stores.accounts.get(id)) {
        expect((await operation.run(scene, '')).data).toEqual({ deleteAccount: true })
      }
      expect(await bench.stores.accounts.get(id)).toBeNull()
    })
  })
})

test.each(Object.entries(outages))(
  'an outage %s of a refresh is 503, and the same token renews once the store is back',
  async (_when, outage) => {
    const operation: Operation = {
      run({ visitor }) {
        visitor.bearer = null
        return visitor.ask('mutation { refresh { accessToken } }')
      },
    }
    await failEverywhere({ delivery: 'TOKEN', outage, operation }, async (scene) => {
      const again = await operation.run(scene, '')
      scene.visitor.bearer = again.data.refresh.accessToken
      expect((await scene.visitor.ask('{ viewer { id } }')).status).toBe(200)
    })
  },
)

test('a failure that is not an outage is 500 without details, with the id of its event', async () => {
  const broken = { is: false }
  const bench = createBench({
    around: async (_call, run) => {
      if (broken.is) throw new Error('select * from accounts where email = "ada@example.com"')
      return run()
    },
  })
  const visitor = await bench.signedIn()
  broken.is = true
  const answer = await visitor.ask('{ viewer { id } }')
  expect([answer.status, answer.codes]).toEqual([500, ['INTERNAL_SERVER_ERROR']])
  expect(answer.text).not.toMatch(/select|ada@/)
  const id = answer.errors[0]?.extensions.id
  expect(bench.events).toContainEqual(expect.objectContaining({ type: 'access.failed', id }))
  const page = await visitor.post('/verify', { token: `verify_${'A'.repeat(22)}.${'A'.repeat(43)}` })
  expect([page.status, page.text.includes('select *')]).toEqual([500, false])
  expect(bench.events).toContainEqual(expect.objectContaining({ type: 'service.failed', during: 'page' }))
})
