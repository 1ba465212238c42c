import { unknownAttempt } from '@latchkey/accounts'
import { useService } from '@latchkey/test-services'
import bcrypt from 'bcryptjs'
import { expect, test } from 'vitest'
import { type AuthJsMove, type AuthJsUser, moveFromAuthJs } from '../src/from-authjs.ts'
import { choosePassword, type OldAndNew, openOldAndNew, signIn } from './open-moved.ts'
import { createOldDatabase, dump, psql } from './psql.ts'

const postgres = useService('postgres')
const google = 'https://accounts.google.com'
const github = 'https://github.com/login/oauth'
const email = 'ada@example.com'

/** The tables of an adapter of Auth.js, with the columns that `authjs.sql` reads, and the options of psql for it. */
const adapters = {
  pg: {
    tables: `
create table users (id serial primary key, name varchar(255), email varchar(255), "emailVerified" timestamptz, image text);
create table accounts (id serial primary key, "userId" integer not null, type varchar(255) not null,
  provider varchar(255) not null, "providerAccountId" varchar(255) not null, access_token text);`,
    users: 'users',
    accounts: 'accounts',
  },
  Prisma: {
    tables: `
create table "User" (id text primary key, name text, email text unique, "emailVerified" timestamp(3), image text, password_hash text);
create table "Account" ("userId" text not null, type text not null, provider text not null,
  "providerAccountId" text not null, access_token text, primary key (provider, "providerAccountId"));`,
    users: '"User"',
    accounts: '"Account"',
  },
  Drizzle: {
    tables: `
create table "user" (id text primary key, name text, email text unique, "emailVerified" timestamp, image text);
create table account ("userId" text not null, type text not null, provider text not null,
  "providerAccountId" text not null, access_token text, primary key (provider, "providerAccountId"));`,
    users: '"user"',
    accounts: 'account',
  },
} as const

/** Creates the tables of an adapter with the rows of `sql`, and returns what `authjs.sql` writes. */
async function dumpOf(adapter: keyof typeof adapters, sql: string, password = 'null'): Promise<readonly AuthJsUser[]> {
  const { tables, users, accounts } = adapters[adapter]
  const url = await createOldDatabase(postgres, tables)
  await psql(url, '-c', sql)
  return dump<AuthJsUser>(url, 'authjs.sql', [`users=${users}`, `accounts=${accounts}`, `password=${password}`])
}

const addUser = (id: string, address: string | null, { verified = false, hash = null as string | null } = {}) => {
  const values = [id, address, verified ? '2026-01-01' : null, hash].map((text) =>
    text === null ? 'null' : `'${text}'`,
  )
  return `insert into "User" (id, email, "emailVerified", password_hash) values (${values.join(', ')});`
}
const addLink = (userId: string, provider: string, subject = 'sub-1', type = 'oidc') =>
  `insert into "Account" values ('${userId}', '${type}', '${provider}', '${subject}', 'token');`

const move = async (service: OldAndNew, users: readonly AuthJsUser[], options: Partial<AuthJsMove> = {}) => {
  await service.openTotp()
  return moveFromAuthJs({
    ...{ users, accounts: service.server.stores.accounts, links: await service.server.accounts() },
    ...{
      issuers: { google, github },
      verifyingProviders: ['google'],
      rolesOf: () => ['MEMBER'],
      unproven: 'unverified',
    },
    ...options,
  })
}

const signInWith = async (service: OldAndNew, issuer: string, subject: string) =>
  (await service.server.accounts()).signInWithProvider({
    ...{ issuer, subject, email: null, emailVerified: false, amr: [] },
    ...{ sid: null, authenticatedAt: Date.now(), binding: null },
    ...{ delivery: 'session', attempt: unknownAttempt },
  })

test.each([
  [
    'pg',
    'insert into users (name, email) values',
    'insert into accounts ("userId", type, provider, "providerAccountId") values',
    '1',
  ],
  ['Prisma', 'insert into "User" (name, email, id) values', 'insert into "Account" values', 'cuid1'],
  ['Drizzle', 'insert into "user" (name, email, id) values', 'insert into account values', 'cuid1'],
] as const)(
  'a user of Google in the tables of %s signs in with Google under the old id',
  async (adapter, user, link, id) => {
    const service = await openOldAndNew()
    const idOrNone = adapter === 'pg' ? '' : `, '${id}'`
    const sql = `${user} ('Ada', '${email}'${idOrNone}); ${link} ('${id}', 'oidc', 'google', 'sub-1');`
    expect(await move(service, await dumpOf(adapter, sql))).toEqual({
      moved: 1,
      withoutPassword: 1,
      left: [],
      unlinked: [],
    })
    expect(await signInWith(service, google, 'sub-1')).toMatchObject({ ok: true, status: 'signed-in', account: { id } })
    expect(await signInWith(service, github, 'sub-1')).toMatchObject({ ok: false, reason: 'invalid-credentials' })
    expect(await service.server.stores.accounts.get(id)).toMatchObject({ name: 'Ada', status: 'active' })
  },
)

test('a user who used a link in a mail has a verified address, and chooses a password by mail', async () => {
  const service = await openOldAndNew()
  const users = await dumpOf('Prisma', addUser('cuid1', email, { verified: true }))
  expect(await move(service, users)).toMatchObject({ moved: 1, withoutPassword: 1 })
  expect((await service.server.stores.accounts.get('cuid1'))?.status).toBe('active')
  const chosen = await choosePassword(service, email)
  expect((await signIn(service, email, chosen)).result).toMatchObject({ account: { id: 'cuid1' } })
})

test('a user of a Credentials provider with a hash of bcrypt signs in with the old password', async () => {
  const service = await openOldAndNew()
  const hash = bcrypt.hashSync('otters read quietly', 4)
  const users = await dumpOf('Prisma', addUser('cuid1', email, { verified: true, hash }), 'u.password_hash')
  expect(await move(service, users)).toEqual({ moved: 1, withoutPassword: 0, left: [], unlinked: [] })
  expect((await signIn(service, email, 'otters read loudly')).code).toBe('INVALID_CREDENTIALS')
  expect((await signIn(service, email, 'otters read quietly')).result).toMatchObject({ account: { id: 'cuid1' } })
})

test.each([
  ['no link', ''],
  ['a link to a provider that does not verify addresses', addLink('cuid1', 'github', '7')],
  ['a verifying and another provider', addLink('cuid1', 'google') + addLink('cuid1', 'github', '7')],
  ['a passkey', addLink('cuid1', 'passkey', 'credential', 'webauthn')],
])('a user with %s and without a time in "emailVerified" is unverified, and cannot sign in', async (_what, links) => {
  const service = await openOldAndNew()
  const hash = bcrypt.hashSync('otters read quietly', 4)
  const users = await dumpOf('Prisma', addUser('cuid1', email, { hash }) + links, 'u.password_hash')
  expect(await move(service, users)).toMatchObject({ moved: 1 })
  expect((await service.server.stores.accounts.get('cuid1'))?.status).toBe('unverified')
  expect((await signIn(service, email, 'otters read quietly')).code).toBe('INVALID_CREDENTIALS')
  expect(await signInWith(service, github, '7')).toMatchObject({ ok: false })
})

test('a link of an unverified user is void after the owner of the mailbox chooses a password', async () => {
  const service = await openOldAndNew()
  await move(service, await dumpOf('Prisma', addUser('cuid1', email) + addLink('cuid1', 'github', '7')))
  await choosePassword(service, email)
  expect(await signInWith(service, github, '7')).toMatchObject({ ok: false, reason: 'invalid-credentials' })
})

test('a user of GitHub without a verified address signs in with "unproven: active"', async () => {
  const service = await openOldAndNew()
  const users = await dumpOf('Prisma', addUser('cuid1', email) + addLink('cuid1', 'github', '7'))
  expect(await move(service, users, { unproven: 'active' })).toMatchObject({ moved: 1 })
  expect(await signInWith(service, github, '7')).toMatchObject({ ok: true, account: { id: 'cuid1' } })
})

test('users without an address, with a taken address or an unknown hash are reported, and other users are moved', async () => {
  const service = await openOldAndNew()
  const sql = [
    ...[
      addUser('a', null),
      addUser('b', email, { verified: true }),
      addUser('c', 'Ada@Example.com', { verified: true }),
    ],
    ...[addUser('d', 'ben@example.com', { hash: '5f4dcc3b5aa765d61d8327deb882cf99' })],
    ...[addLink('b', 'google'), addLink('b', 'passkey', 'credential', 'webauthn'), addLink('d', 'google', 'sub-2')],
  ]
  expect(await move(service, await dumpOf('Prisma', sql.join('\n'), 'u.password_hash'))).toEqual({
    ...{ moved: 1, withoutPassword: 1 },
    left: [
      { id: 'a', why: 'no-address' },
      { id: 'c', why: 'address-taken' },
      { id: 'd', why: 'unknown-hash' },
    ],
    unlinked: [{ id: 'b', provider: 'passkey', why: 'unknown-provider' }],
  })
  expect(await signInWith(service, google, 'sub-2')).toMatchObject({ ok: false })
})

test('a second run moves the users that are new in Auth.js and changes no account', async () => {
  const service = await openOldAndNew()
  const users = await dumpOf('Prisma', addUser('a', email) + addUser('b', 'ben@example.com') + addLink('a', 'google'))
  expect(await move(service, users.slice(0, 1))).toMatchObject({ moved: 1 })
  const before = await service.server.stores.accounts.get('a')
  expect(await move(service, users, { unproven: 'active' })).toMatchObject({ moved: 1, left: [], unlinked: [] })
  expect(await service.server.stores.accounts.get('a')).toEqual(before)
})
