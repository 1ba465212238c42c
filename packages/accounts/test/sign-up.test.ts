import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { describe, expect, test } from 'vitest'
import { accountOf, countHashes, createBench, email, invalidCredentials, password, refusalOf } from './bench.ts'

const input = { email: ' Reader@Example.COM ', password, name: ' A Reader ' }
const ownerOfPending = `pending_${encodeBase64url(sha256(email))}`

describe('signing up', () => {
  test('sends a link, and the account exists once it is followed', async () => {
    const { accounts, outbox, store, mailedToken } = createBench()
    expect(await accounts.signUp(input)).toMatchObject({ accepted: true })
    const token = await mailedToken()
    expect(outbox).toHaveLength(1)
    expect(outbox[0]).toMatchObject({ to: email, url: `https://example.com/verify?token=${token}` })
    expect(outbox[0]?.text.split('\n')).toContain(outbox[0]?.url)
    expect(await store.getByEmail(email)).toBeNull()
    const account = await accountOf(accounts.verifyEmail({ token, password }))
    expect(account).toEqual({ id: account.id, email, name: 'A Reader', roles: ['READER'], status: 'active' })
    expect(await accounts.signIn({ email, password, delivery: 'session' })).toMatchObject({ status: 'signed-in' })
  })

  const owners = [
    ['a free address', null, 'Confirm your email address'],
    ['a taken address', { status: 'active' }, 'You already have an account'],
    ['the address of a disabled account', { status: 'disabled' }, 'You already have an account'],
    ['an address that was never verified', { status: 'unverified' }, 'Confirm your email address'],
    ['an account without a password', { passwordHash: null }, 'You already have an account'],
  ] as const
  test.each(owners)(
    'a sign-up with %s gets the same answer after one hash, and sends one mail',
    async (_what, owner, subject) => {
      const { accounts, insert, outbox, store } = createBench()
      const before = owner && (await insert(owner))
      const hashes = await countHashes(async () => {
        expect(await accounts.signUp(input)).toMatchObject({ accepted: true })
        expect(outbox).toEqual([])
        await accounts.settled()
      })
      expect(hashes).toBe(1)
      expect(outbox.map((message) => [message.to, message.subject])).toEqual([[email, subject]])
      expect(await store.getByEmail(email)).toEqual(before)
    },
  )

  test.each([
    ['a free address', null, 'verify-address', { url: expect.any(String) }],
    ['a taken address', {}, 'account-exists', { occasion: 'sign-up', isReserved: false }],
  ] as const)(
    'a sign-up with %s emits an event, and so does the failure of its mail',
    async (_what, owner, purpose, data) => {
      const sent: object[] = []
      const send = async (message: object) => {
        sent.push(message)
        throw new Error('the mailbox is full')
      }
      const bench = createBench({ options: { mails: { mailer: { send } } } })
      const account = owner && (await bench.insert(owner))
      await bench.accounts.signUp(input)
      await bench.accounts.settled()
      const accountId = account?.id ?? null
      expect(bench.events).toMatchObject([
        { type: 'sign-up.requested', accountId },
        { type: 'mail.failed', accountId, purpose },
      ])
      expect(sent[0]).toMatchObject({ kind: purpose, data })
    },
  )

  test('needs no store that reserves addresses', async () => {
    const bench = createBench({ aroundReservations: () => null })
    await bench.accounts.signUp(input)
    expect(await bench.accounts.verifyEmail({ token: await bench.mailedToken(), password })).toMatchObject({ ok: true })
  })

  test('makes the same calls of the stores before it answers, whether or not the address is taken', async () => {
    const asked: string[][] = []
    for (const owner of [null, {}, { status: 'disabled' }, { status: 'unverified' }] as const) {
      const calls: string[] = []
      const log = (method: string, run: () => Promise<unknown>) => {
        calls.push(method)
        return run()
      }
      const { accounts, insert } = createBench({ aroundAccounts: log, aroundRecords: log })
      if (owner) await insert(owner)
      for (let time = 0; time < 2; time++) {
        await accounts.signUp(input)
        asked.push([...calls])
        await accounts.settled()
        calls.length = 0
      }
    }
    expect(asked).toEqual(Array.from({ length: 8 }, () => ['getByEmail']))
  })

  test('a sign-up stores a record after the answer for a free address, and none for a taken address', async () => {
    for (const [owner, kept] of [
      [null, 1],
      [{ status: 'unverified' }, 1],
      [{}, 0],
      [{ status: 'disabled' }, 0],
    ] as const) {
      const { accounts, insert, records, outbox } = createBench()
      if (owner) await insert(owner)
      await accounts.signUp(input)
      expect((await records.listByOwner(ownerOfPending)).items).toEqual([])
      await accounts.settled()
      expect((await records.listByOwner(ownerOfPending)).items).toHaveLength(kept)
      expect(JSON.stringify(outbox).includes('token=')).toBe(kept > 0)
    }
  })

  test('repeats no input in the mail', async () => {
    const { accounts, outbox } = createBench()
    await accounts.signUp({ ...input, name: 'You won! https://evil.example' })
    await accounts.settled()
    expect(JSON.stringify(outbox)).not.toContain('evil')
  })

  test('by a stranger has no effect on the owner of the address', async () => {
    const { accounts, store, insert, signIn } = createBench()
    await accounts.signUp({ ...input, password: 'the stranger has chosen this' })
    await accounts.settled()
    expect(await store.getByEmail(email)).toBeNull()
    await insert()
    await signIn()
    expect(await accounts.signIn({ email, password: 'the stranger has chosen this', delivery: 'session' })).toEqual(
      invalidCredentials,
    )
  })
})

describe('a sign-up is refused, with no mail and no trace, for', () => {
  const refusals: [string, object, object][] = [
    ['no address', { email: '' }, { code: 'EMAIL_INVALID', field: 'email', reason: null }],
    [
      'two addresses',
      { email: 'a@example.com,b@example.com' },
      { code: 'EMAIL_INVALID', field: 'email', reason: null },
    ],
    ['no name', { name: ' ' }, { code: 'NAME_INVALID', field: 'name', reason: null }],
    ['a name of 101 characters', { name: '😀'.repeat(101) }, { code: 'NAME_INVALID', field: 'name', reason: null }],
    ['a huge name', { name: 'x'.repeat(1_000_000) }, { code: 'NAME_INVALID', field: 'name', reason: null }],
    ['a line break in the name', { name: 'A\nB' }, { code: 'NAME_INVALID', field: 'name', reason: null }],
    ['a NUL in the name', { name: 'A\0B' }, { code: 'NAME_INVALID', field: 'name', reason: null }],
    [
      'a name that reverses the direction of text',
      { name: 'A\u202eB' },
      { code: 'NAME_INVALID', field: 'name', reason: null },
    ],
    ...[
      ['a zero-width space', '\u200b'],
      ['nothing but joiners', '\u200d\u200c'],
      ['a Hangul filler', '\u3164'],
      ['a blank Braille pattern', '\u2800'],
      ['a combining mark alone', '\u0301'],
      ['a variation selector alone', '\ufe0f'],
      ['a hidden zero-width space', 'Ad\u200bmin'],
      ['a soft hyphen', 'Ad\u00admin'],
      ['a word joiner', 'Ad\u2060min'],
      ['a byte order mark', 'Ad\ufeffmin'],
      ['an isolate', 'Ad\u2066min'],
      ['tag characters', 'A\u{e0041}'],
    ].map(([what, name]): [string, object, object] => [
      `${what} as or in the name`,
      { name },
      { code: 'NAME_INVALID', field: 'name', reason: null },
    ]),
    ['a lone surrogate in the name', { name: 'A\ud800' }, { code: 'NAME_INVALID', field: 'name', reason: null }],
    ['a short password', { password: 'short' }, { code: 'PASSWORD_REJECTED', field: 'password', reason: 'too-short' }],
    [
      'the address as password',
      { password: email },
      { code: 'PASSWORD_REJECTED', field: 'password', reason: 'context' },
    ],
    [
      'a NUL in the password',
      { password: `${password}\0` },
      { code: 'PASSWORD_REJECTED', field: 'password', reason: 'malformed' },
    ],
    [
      'a huge password',
      { password: 'x'.repeat(100_000) },
      { code: 'PASSWORD_REJECTED', field: 'password', reason: 'too-long' },
    ],
  ]
  test.each(refusals)('%s', async (_what, change, refusal) => {
    const { accounts, outbox, events } = createBench()
    const hashes = await countHashes(async () => {
      expect(await refusalOf(accounts.signUp({ ...input, ...change }))).toEqual(refusal)
      await accounts.settled()
    })
    expect(hashes).toBe(0)
    expect(outbox).toEqual([])
    expect(events).toEqual([])
  })

  test('any address if sign-up is closed', async () => {
    const { accounts, outbox } = createBench({ options: { signUp: 'closed' } })
    expect(await refusalOf(accounts.signUp(input))).toEqual({ code: 'SIGN_UP_CLOSED', field: null, reason: null })
    await accounts.settled()
    expect(outbox).toEqual([])
  })
})

test('a password that only the hasher refuses is refused like any other', async () => {
  const { accounts } = createBench({ options: { passwordPolicy: { check: async () => ({ ok: true }) } } })
  const refusals = ['\0', 'x'.repeat(2000)].map((text) => refusalOf(accounts.signUp({ ...input, password: text })))
  expect(await Promise.all(refusals)).toEqual([
    { code: 'PASSWORD_REJECTED', field: 'password', reason: 'malformed' },
    { code: 'PASSWORD_REJECTED', field: 'password', reason: 'too-long' },
  ])
})

test.each(['علی\u200cرضا', 'ක්\u200dෂ', '👩\u200d💻', '❤️', "O'Neil-Smith", '7', 'José'])(
  '%j is a name',
  async (name) => {
    const { accounts, mailedToken } = createBench()
    await accounts.signUp({ ...input, name })
    expect((await accountOf(accounts.verifyEmail({ token: await mailedToken() }))).name).toBe(name.normalize('NFC'))
  },
)
