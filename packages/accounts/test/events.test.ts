import { AccountsError, allowNativeDelivery } from '@latchkey/accounts'
import { expect, test } from 'vitest'
import { accountOf, createBench, email, invalidCredentials, invalidLink, newPassword, password } from './bench.ts'

/** Walks through every use case, collecting what must never be seen outside. */
async function walk() {
  const bench = createBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
  const { accounts, events, store, records, mailedToken, signIn } = bench
  const secrets = new Set<string>([password, newPassword, email, 'wrong password, long enough'])
  const errors: unknown[] = []
  const fail = (error: unknown) => void errors.push(error)
  const name = 'A Reader'

  await accounts.signUp({ email, password: 'short', name }).catch(fail)
  await accounts.signUp({ email: `${email}@`, password, name }).catch(fail)
  await accounts.signUp({ email, password, name: `A\n${email}` }).catch(fail)
  secrets.add((await accounts.signUp({ email, password, name })).browserSecret)
  secrets.add(await mailedToken())
  const account = await accountOf(accounts.verifyEmail({ token: await mailedToken(), password }))
  expect(await accounts.verifyEmail({ token: await mailedToken() })).toEqual(invalidLink)
  const { id } = account
  await accounts.signUp({ email, password, name })
  await accounts.signIn({ email, password: 'wrong password, long enough', delivery: 'session' })
  await accounts.signIn({ email, password, delivery: 'other' as 'session' }).catch(fail)
  const results = [await signIn(), await signIn({ delivery: 'token' }), await signIn({ delivery: 'native' })]
  for (const { credentials, deviceToken } of results) {
    secrets.add(deviceToken ?? '')
    if (credentials.delivery === 'session') secrets.add(credentials.credential)
    else for (const token of [credentials.accessToken, credentials.refreshToken]) secrets.add(token)
  }
  for (const { value } of (await records.listByOwner(id)).items) secrets.add(JSON.parse(value).secretHash)
  const token = results[1]?.credentials.delivery === 'token' ? results[1].credentials.refreshToken : ''
  const refreshed = await accounts.refresh({ token, channel: 'cookie' })
  if (refreshed.ok) secrets.add(refreshed.credentials.refreshToken)
  await accounts.refresh({ token, channel: 'native' })
  await accounts.refresh({ token, channel: 'cookie' })
  const { identity } = results[0]!
  const wrong = 'wrong password, long enough'
  await accounts.changePassword({ identity, currentPassword: wrong, newPassword })
  await accounts.confirmPassword({ identity, currentPassword: wrong })
  await accounts.confirmPassword({ identity: (await signIn()).identity, currentPassword: password })
  await accounts.changePassword({ identity, currentPassword: password, newPassword: email }).catch(fail)
  secrets.add((await store.get(id))?.passwordHash ?? '')
  await accounts.changePassword({ identity, currentPassword: password, newPassword })
  secrets.add((await store.get(id))?.passwordHash ?? '')
  await accounts.requestPasswordReset({ email })
  const reset = await mailedToken()
  for (let asked = 0; asked < 3; asked++) await accounts.requestPasswordReset({ email })
  secrets.add(reset)
  await accountOf(accounts.resetPassword({ token: reset, newPassword: password }))
  expect(await accounts.resetPassword({ token: reset, newPassword })).toEqual(invalidLink)
  const last = await signIn()
  await accounts.signOut({ identity: last.identity })
  await accounts.revokeSession({ subject: id, key: (await signIn()).identity.key })
  await accounts.revokeAllSessions({ identity: { subject: id } })
  await accounts.setRoles({ id, roles: ['AUTHOR'] })
  await accounts.disable({ id })
  await accounts.enable({ id })
  await accounts.create({ email: 'made@example.com', password, name: 'Made', roles: ['AUTHOR'] })
  await accounts.settled()
  return { events, errors, secrets }
}

test('no event and no error holds a password, a token, a hash or an address', async () => {
  const { events, errors, secrets } = await walk()
  const said = [
    JSON.stringify(events),
    // Without the frames of its stack: they name the folder of this checkout, which may be `…/example.com/…`.
    ...errors.map((error) => `${String(error)} ${JSON.stringify(error)}`),
  ].join('\n')
  expect(errors).toHaveLength(5)
  expect(errors.every((error) => error instanceof AccountsError)).toBe(true)
  for (const secret of [...secrets].filter((text) => text !== '')) {
    expect(said).not.toContain(secret)
    // The signature of a token; of an address only `com` is behind the last dot, which random ids can hold.
    if (!secret.includes('@')) expect(said).not.toContain(secret.split('.').at(-1))
  }
  expect(JSON.stringify(events)).not.toMatch(/@|argon2|\$/)
})

test('every decision is an event with its time', async () => {
  const { events } = await walk()
  const types = new Set(events.map(({ type }) => type))
  expect([...types].sort()).toEqual([
    'account.created',
    'account.disabled',
    'account.enabled',
    'email.verified',
    'family.refreshed',
    'family.reused',
    'link.refused',
    'mail.withheld',
    'password.change-failed',
    'password.changed',
    'password.confirmation-failed',
    'password.confirmed',
    'password.reset',
    'password.reset-requested',
    'refresh.failed',
    'role.changed',
    'session.created',
    'session.ended',
    'sessions.ended',
    'sign-in.failed',
    'sign-up.requested',
  ])
  for (const { at } of events) expect(at).toBe(1_800_000_000_000)
})

test('a listener that throws changes no answer', async () => {
  const onEvent = () => {
    throw new Error('the log is full')
  }
  const { accounts, insert, signIn } = createBench({ options: { onEvent } })
  await insert()
  expect((await signIn()).status).toBe('signed-in')
  expect(await accounts.signIn({ email, password: newPassword, delivery: 'session' })).toEqual(invalidCredentials)
})
