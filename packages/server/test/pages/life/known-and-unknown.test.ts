import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StoredAccount } from '@latchkey/accounts'
import { createSqliteStores } from '@latchkey/sql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { life } from '../../account-life/operations.ts'
import { createBench, password } from '../../support/bench.ts'
import { ownForm } from '../../support/forms.ts'
import { signInMutation } from '../../support/visitor.ts'
import { createComparingBench, type Shown } from './answered-alike.ts'

// No answer shows whether an address has an account: not by its bytes, and not by the work that was done before it.

const at = createComparingBench()
let drawn = 0
/** As long as any other, so that the length of an answer that repeats it is that of any other, too. */
const drawAddress = (): string => `someone-${String(++drawn).padStart(6, '0')}@example.com`

async function insert(change: Partial<StoredAccount> = {}): Promise<string> {
  return (await at.insert({ email: drawAddress(), ...change })).email
}

async function insertDeleted(): Promise<string> {
  const { id, email } = await at.insert({ email: drawAddress() })
  await at.stores.accounts.remove(id)
  return email
}

async function insertReserved(): Promise<string> {
  const { id: accountId, email, epoch } = await at.insert({ email: drawAddress() })
  const since = at.clock.time
  await at.stores.accounts.reservations?.reserve({ email, accountId, since, until: since + 86_400_000 }, epoch)
  await at.stores.accounts.replace(accountId, {}, { email: drawAddress() })
  return email
}

/** Whose address is shown. */
const addresses: Readonly<Record<string, () => string | Promise<string>>> = {
  'of an account': () => insert(),
  'of an administrator': () => insert({ roles: ['ADMIN'] }),
  'of an account with a second factor': () => insert({ enrolled: ['totp'] }),
  'of an account without a password': () => insert({ passwordHash: null }),
  'of an account that was never verified': () => insert({ status: 'unverified' }),
  'of a locked account': () => insert({ status: 'locked' }),
  'of a disabled account': () => insert({ status: 'disabled' }),
  'of an account that was deleted': insertDeleted,
  'that an account has left and may move back to': insertReserved,
}

const wrong = 'otters sing loudly at noon'

interface Request {
  readonly send: (email: string) => Promise<Shown>
  readonly status: number
  readonly hashes: number
  /** The calls before the answer that change something. */
  readonly writes: readonly string[]
}

const hits = (count: number): readonly string[] => Array(count).fill('counters.hit')
/** It counts before it is judged and once more when it is refused, which is audited. */
const counted = [...hits(5), 'lockouts.hit', 'lockouts.hit', ...hits(2), 'audit.append']
/** The tries of a code are counted as well. */
const countedOfCode = ['counters.hit', ...counted]

const requests: Readonly<Record<string, Request>> = {
  'a sign-up, as an operation': {
    send: (email) =>
      at.ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', {
        email,
        password,
        name: 'Ada',
      }),
    ...{ status: 200, hashes: 1, writes: [] },
  },
  'a sign-up, on its page': {
    send: (email) => at.show('/sign-up', { email, password, name: 'Ada' }),
    ...{ status: 200, hashes: 1, writes: [] },
  },
  'a refused sign-in, as an operation': {
    send: (email) => at.ask(signInMutation, { email, password: wrong, delivery: 'SESSION' }),
    ...{ status: 401, hashes: 1, writes: counted },
  },
  'a refused sign-in, on its page': {
    send: (email) => at.show('/sign-in', { email, password: wrong }),
    ...{ status: 401, hashes: 1, writes: counted },
  },
  'a request for a code of a mail, as an operation': {
    send: (email) =>
      at.ask('mutation ($input: RequestSignInCodeInput!) { requestSignInCode(input: $input) { accepted } }', { email }),
    ...{ status: 200, hashes: 0, writes: [] },
  },
  'a request for a code of a mail, on its page': {
    send: (email) => at.show('/sign-in-code', { email }),
    ...{ status: 200, hashes: 0, writes: [] },
  },
  'a wrong code of a mail, as an operation': {
    send: async (email) =>
      at.ask(
        'mutation ($input: SignInWithCodeInput!) { signInWithCode(input: $input) { status } }',
        { email, code: '00000000' },
        await at.askForCode(email),
      ),
    ...{ status: 401, hashes: 0, writes: countedOfCode },
  },
  'a wrong code of a mail, on its page': {
    send: async (email) => at.show('/sign-in-code', { email, code: '00000000' }, await at.askForCode(email)),
    ...{ status: 401, hashes: 0, writes: countedOfCode },
  },
  'a request for a new password, as an operation': {
    send: (email) =>
      at.ask('mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }', { email }),
    ...{ status: 200, hashes: 0, writes: [] },
  },
  'a request for a new password, on its page': {
    send: (email) => at.show('/reset', { email }),
    ...{ status: 200, hashes: 0, writes: [] },
  },
  'a change of address, as an operation': {
    async send(newEmail) {
      const { bearer } = await at.signedIn('READER', 'TOKEN')
      return at.ask(life.requestEmailChange, { newEmail }, { authorization: `Bearer ${bearer}` })
    },
    // The mark of the request, whatever the address is.
    ...{ status: 200, hashes: 0, writes: ['records.insert'] },
  },
  'a change of address, on its page': {
    async send(email) {
      const { jar } = await at.signedIn()
      return at.show('/account/email', { email }, { cookie: `__Host-session=${jar.get('__Host-session')}` })
    },
    ...{ status: 200, hashes: 0, writes: ['records.insert'] },
  },
}

const isRead = (call: string): boolean => /\.(?:get|list|find|count|is[A-Z])/.test(call)

/** What the answer repeats of the request is no news. */
const without = (email: string, { body, ...shown }: Shown): Shown => ({ ...shown, body: body.replaceAll(email, '…') })

describe.each(Object.entries(requests))('%s', (_what, { send, status, hashes, writes }) => {
  const show = async (email: string): Promise<Shown> => {
    // What was counted before is over.
    at.advance(120)
    return without(email, await send(email))
  }

  test('is answered to an unknown address after this work and no other', async () => {
    // What a service reads once, it has read.
    await show(drawAddress())
    const shown = await show(drawAddress())
    expect([shown.status, shown.hashes]).toEqual([status, hashes])
    expect(shown.calls.filter((call) => !isRead(call))).toEqual(writes)
  })

  test.each(Object.entries(addresses))(
    'has the same status, headers, body, hashes and calls of stores for an address %s',
    async (_whose, addressOf) => {
      const unknown = await show(drawAddress())
      expect(await show(await addressOf())).toEqual(unknown)
      expect(await show(drawAddress())).toEqual(unknown)
    },
  )
})

/** All that a database holds, but how much has been counted. */
function dump(database: DatabaseSync): object {
  const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all()
  const shown = (name: unknown) => (name === 'latchkey_counters' ? 'key' : '*')
  return Object.fromEntries(
    tables.map(({ name }) => [name, database.prepare(`select ${shown(name)} from "${name}"`).all()]),
  )
}

test('requests for unknown addresses and links store no record', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-unknown-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const open = () => new DatabaseSync(join(folder, 'app.db'))
  const database = open()
  const stores = createSqliteStores({ database: open })
  const bench = createBench({ options: { stores, signIn: { emailCode: {} } } })
  await stores.migrate()
  const visitor = bench.visitor()
  await visitor.ask('{ hello }')
  const forged = (kind: string) => `${kind}_${'A'.repeat(22)}.${'A'.repeat(43)}`
  // The links that do not exist are counted of a client, once.
  await visitor.post('/verify', { token: forged('verify') }, ownForm)
  const before = dump(database)
  for (let nth = 0; nth < 14; nth++) {
    const email = `unknown-${nth}@example.com`
    const asked = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
    expect((await visitor.ask(asked, { input: { email } })).data).toEqual({ requestPasswordReset: true })
    expect((await visitor.post('/reset', { email }, ownForm)).status).toBe(200)
    const request = 'mutation ($input: RequestSignInCodeInput!) { requestSignInCode(input: $input) { accepted } }'
    expect((await visitor.ask(request, { input: { email } })).data).toEqual({ requestSignInCode: { accepted: true } })
    expect((await visitor.post('/sign-in-code', { email }, ownForm)).status).toBe(200)
    const verify = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
    expect((await visitor.ask(verify, { input: { token: forged('verify') } })).codes).toEqual(['BAD_USER_INPUT'])
    expect((await visitor.post('/verify', { token: forged('verify') }, ownForm)).status).toBe(400)
  }
  await (await bench.server.accounts()).settled()
  expect(dump(database)).toEqual(before)
  expect(bench.outbox).toEqual([])
  database.close()
  await stores.close()
})
