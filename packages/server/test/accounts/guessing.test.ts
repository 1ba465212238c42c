import { allowNativeDelivery } from '@latchkey/accounts'
import { createMemoryCounterStore, StoreError } from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Bench, createBench, newPassword, password, passwords } from '../support/bench.ts'
import { type Answer, outcomeOf, ownPage, signInMutation, type Visitor } from '../support/visitor.ts'

const confirm = 'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { status } }'
const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }'
const wrong = 'herons never read at dusk'
let bench: Bench
let visitor: Visitor
let email: string

beforeEach(async () => {
  bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
  visitor = bench.visitor()
  email = (await bench.insert()).email
})

const guess = (shown = wrong, identifier = email) => visitor.signIn(identifier, shown)
const submit = (shown = wrong) => visitor.post('/sign-in', { email, password: shown }, ownPage)

async function hashesOf(ask: () => Promise<Answer>): Promise<readonly [answer: Answer, hashes: number]> {
  const before = passwords.stats.evaluations
  const answer = await ask()
  return [answer, passwords.stats.evaluations - before]
}

describe('the sixth wrong password of an account within 15 minutes', () => {
  test.each([
    ['of an account', () => email],
    ['of an address that no account has', () => 'stranger@example.com'],
  ])('%s is 429 before any hash, with Retry-After', async (_whose, identifier) => {
    for (let guessed = 0; guessed < 5; guessed++) {
      expect(outcomeOf(await guess(wrong, identifier()))).toEqual([401, 'INVALID_CREDENTIALS'])
    }
    bench.advance(100)
    const [answer, hashes] = await hashesOf(() => guess(password, identifier()))
    expect([...outcomeOf(answer), hashes]).toEqual([429, 'RATE_LIMITED', 0])
    expect(answer.text).not.toContain('"data"')
    expect(answer.cookies).toEqual([])
    expect(answer.headers.get('retry-after')).toBe('800')
    expect(answer.headers.get('ratelimit-policy')).toBe('"account";q=5;w=900')
    expect(answer.headers.get('ratelimit')).toBe('"account";r=0;t=800')
    expect(answer.errors[0]?.extensions).toMatchObject({ retryAfterSeconds: 800 })
  })

  test('is 429 on the page too, which shares its count with the operation', async () => {
    for (const ask of [guess, submit, guess, submit, guess]) expect((await ask()).status).toBe(401)
    const [answer, hashes] = await hashesOf(() => submit(password))
    expect([answer.status, hashes, answer.cookies]).toEqual([429, 0, []])
    expect(answer.headers.get('retry-after')).toBe('900')
    expect(answer.headers.get('ratelimit')).toBe('"account";r=0;t=900')
    expect(answer.text).toContain('Too many attempts')
    expect(outcomeOf(await guess(password))).toEqual([429, 'RATE_LIMITED'])
  })

  test.each([
    ['confirmPassword', confirm, {}],
    ['changePassword', change, { newPassword }],
  ])('is 429 for %s of a signed-in account', async (_name, query, others) => {
    const member = await bench.signedIn()
    const strangersCookies = new Map([...member.jar].filter(([name]) => !name.includes('device')))
    member.jar.clear()
    for (const [name, value] of strangersCookies) member.jar.set(name, value)
    const ask = (shown: string) => member.ask(query, { input: { currentPassword: shown, ...others } })
    for (let guessed = 0; guessed < 5; guessed++) {
      expect(outcomeOf(await ask(wrong))).toEqual([403, 'INVALID_CREDENTIALS'])
    }
    const [answer, hashes] = await hashesOf(() => ask(password))
    expect([...outcomeOf(answer), hashes]).toEqual([429, 'RATE_LIMITED', 0])
    expect((await member.ask('{ viewer { id } }')).data.viewer.id).toBe(member.account.id)
  })
})

test('an address is limited after thirty wrong passwords within a minute, whatever headers it sends', async () => {
  const names = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'true-client-ip', 'cf-connecting-ip', 'x-client-ip']
  for (let guessed = 0; guessed < 30; guessed++) {
    const input = { email: `ada${guessed}@example.com`, password: wrong, delivery: 'SESSION' }
    const headers = { [names[guessed % names.length] ?? '']: `203.0.113.${guessed}` }
    expect((await visitor.ask(signInMutation, { input }, headers)).status).toBe(401)
  }
  const answer = await guess(password)
  expect(outcomeOf(answer)).toEqual([429, 'RATE_LIMITED'])
  expect(answer.headers.get('ratelimit-policy')).toBe('"address";q=30;w=60')
  bench.advance(60)
  expect((await guess(password)).status).toBe(200)
})

describe('while strangers guess passwords,', () => {
  const flood = async () => {
    for (let guessed = 0; guessed < 30; guessed++) {
      const stranger = bench.visitor()
      await stranger.signIn(guessed < 10 ? email : `ada${guessed}@example.com`, wrong)
    }
  }

  test.each(['SESSION', 'TOKEN'] as const)('a browser that has signed in with %s before signs in', async (delivery) => {
    expect((await visitor.signIn(email, password, delivery)).status).toBe(200)
    visitor.jar.delete('__Host-session')
    visitor.bearer = null
    await flood()
    expect((await bench.visitor().signIn(email, password)).status).toBe(429)
    expect((await visitor.signIn(email, password, delivery)).status).toBe(200)
    expect((await submit(password)).status).toBe(303)
  })

  test('an application signs in that shows its deviceToken', async () => {
    const { data } = await visitor.signIn(email, password, 'NATIVE')
    const { deviceToken } = data.signIn
    await flood()
    const app = bench.visitor()
    const input = { email, password, delivery: 'NATIVE' }
    expect((await app.ask(signInMutation, { input })).status).toBe(429)
    expect((await app.ask(signInMutation, { input: { ...input, deviceToken } })).status).toBe(200)
  })

  test('a signed-in session still works', async () => {
    const member = await bench.signedIn()
    await flood()
    expect((await member.ask('{ viewer { id } }')).status).toBe(200)
  })
})

test('direct calls of the use cases are counted, too', async () => {
  const accounts = await bench.server.accounts()
  const attempt = { address: null, deviceToken: null, channel: 'native', requestId: null } as const
  for (let guessed = 0; guessed < 5; guessed++) {
    expect((await accounts.signIn({ email, password: wrong, delivery: 'session', attempt })).ok).toBe(false)
  }
  await expect(accounts.signIn({ email, password, delivery: 'session', attempt })).rejects.toMatchObject({
    code: 'ATTEMPTS_RATE_LIMITED',
    retryAfterSeconds: 900,
  })
})

test.each(['counters.hit', 'lockouts.hit'])(
  'an outage of the store at %s refuses passwords with 503 before they are verified, and no other request',
  async (down) => {
    let isDown = false
    bench = createBench({
      around: async (call, run) => {
        if (isDown && call === down) throw new StoreError('STORE_UNAVAILABLE', 'the backend does not answer')
        return run()
      },
    })
    const member = await bench.signedIn()
    isDown = true
    const answer = await bench.visitor().signIn(member.account.email, wrong)
    expect(outcomeOf(answer)).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(answer.cookies).toEqual([])
    expect((await member.ask('{ viewer { id } }')).status).toBe(200)
    expect((await member.ask('mutation { signOut }')).status).toBe(200)
  },
)

test('a reset enables a password that too many wrong ones have disabled', async () => {
  bench = createBench({ options: { signIn: { attemptLimits: { passwordFailures: 3 } } } })
  email = (await bench.insert()).email
  visitor = bench.visitor()
  for (let guessed = 0; guessed < 3; guessed++) await guess()
  expect(outcomeOf(await guess(password))).toEqual([401, 'INVALID_CREDENTIALS'])
  await visitor.ask(`mutation { requestPasswordReset(input: { email: "${email}" }) }`)
  const token = await bench.mailedToken(email)
  const reset = await visitor.post('/reset', { token, password: newPassword }, ownPage)
  expect(reset.status).toBeLessThan(400)
  expect((await guess(newPassword)).status).toBe(200)
})

test.each([
  [
    'guessing',
    { signIn: { attemptLimits: { perAcount: 5 } } },
    '"signIn.attemptLimits": createAttemptLimits has no option "perAcount"',
  ],
  [
    'counters',
    { signIn: { attemptLimits: { counters: {} } } },
    'createServer has no option "signIn.attemptLimits.counters"',
  ],
  ['null', { signIn: { attemptLimits: null } }, '"signIn.attemptLimits" must be an object'],
  ['a number', { signIn: { attemptLimits: 5 } }, '"signIn.attemptLimits" must be an object'],
])('a server with %s in its limits is refused at once', (_what, options, message) => {
  expect(() => createBench({ options: options as never })).toThrow(message)
})

test('a server without a store for failures in a row is refused at once', () => {
  const { lockouts: _lockouts, counters: _counters, ...stores } = bench.stores
  expect(() => createBench({ options: { stores } })).toThrow('"stores.counters" or "stores.lockouts" is required')
})

test.each(['counters', 'lockouts'] as const)(
  'a server whose "stores.%s" forget failures is refused at once',
  (name) => {
    const { lockouts: _lockouts, counters: _counters, ...stores } = bench.stores
    const counters = createMemoryCounterStore()
    const forgetful = { ...counters, capabilities: { ...counters.capabilities, durable: false } }
    expect(() => createBench({ options: { stores: { ...stores, counters, [name]: forgetful } } })).toThrow(
      `"stores.${name}" must be durable to count failures in a row, or a flush grants new attempts: pass "stores.lockouts", the counters of the database that has the accounts`,
    )
  },
)

test('a server counts failures in "stores.lockouts" if its counters are not durable', () => {
  const { counters: _counters, ...stores } = bench.stores
  const counters = createMemoryCounterStore()
  const forgetful = { ...counters, capabilities: { ...counters.capabilities, durable: false } }
  expect(() => createBench({ options: { stores: { ...stores, counters: forgetful } } })).not.toThrow()
})

test('made-up links of mails are 429 after thirty in a minute, on pages and by operations, and so are passwords then', async () => {
  const token = 'made-up'
  const post = (path: string) => visitor.post(path, { token, password: newPassword }, ownPage)
  const reset = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }'
  const ask = () => visitor.ask(reset, { input: { token, newPassword } })
  for (let followed = 0; followed < 10; followed++) {
    expect([(await post('/reset')).status, (await post('/verify')).status]).toEqual([400, 400])
    expect(outcomeOf(await ask())).toEqual([200, 'BAD_USER_INPUT'])
  }
  for (const path of ['/reset', '/verify']) {
    const page = await post(path)
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '60'])
    expect(page.text).toContain('Too many attempts')
    expect(page.text).not.toContain('<form')
    expect((await visitor.get(`${path}?token=${token}`)).status).toBe(400)
  }
  expect(outcomeOf(await ask())).toEqual([429, 'RATE_LIMITED'])
  expect(outcomeOf(await guess(password))).toEqual([429, 'RATE_LIMITED'])
  bench.advance(60)
  expect(outcomeOf(await guess(password))).toEqual([200, null])
})
