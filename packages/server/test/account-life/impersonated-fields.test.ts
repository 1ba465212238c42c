import { describe, expect, test } from 'vitest'
import { createAuditedBench, listEntries } from '../support/audited-bench.ts'
import { newPassword } from '../support/bench.ts'
import { createAskingBench, requestPath } from '../support/clients/asking.ts'
import { okData } from '../support/factor-bench.ts'
import { ownForm, titleOf } from '../support/forms.ts'
import { actAs, acting, on, ownersAlone, query, signedInAdmin, start, whyRefused } from './impersonating.ts'
import { everyRootField } from './root-fields.ts'

describe('an administrator who acts as an account', () => {
  test('is refused every field that is its owners alone, of all that the schema has', async () => {
    const { bench, admin, owner } = await acting('SESSION', { accounts: { deletion: { onDelete: () => undefined } } })
    const held = JSON.stringify(await bench.stores.accounts.get(owner.account.id))
    const answered = new Map<string, unknown>()
    for (const { kind, name, text, variables } of await everyRootField(owner)) {
      const [status, code, why] = whyRefused(await admin.ask(text, variables))
      answered.set(`${kind}.${name}`, status === 403 && code === 'FORBIDDEN' ? (why ?? 'no permission') : 'open')
    }
    const having = (outcome: string) => [...answered].flatMap(([name, one]) => (one === outcome ? [name] : [])).sort()
    expect(having('open')).toEqual([
      'Mutation.endImpersonation',
      'Mutation.signOut',
      // It begins what anyone may begin; what it asks for is refused.
      'Mutation.startPasskeySignIn',
      'Mutation.writeNote',
      'Query.csrfToken',
      'Query.hello',
      'Query.secretPlan',
      'Query.session',
      'Query.viewer',
    ])
    // The account itself has no permission for these.
    expect(having('no permission')).toEqual(['Query.accounts', 'Query.auditEntries', 'Query.findAccounts'])
    expect(having('impersonated').length).toBeGreaterThan(30)
    expect(having('impersonated').length + 12).toBe(answered.size)
    expect(JSON.stringify(await bench.stores.accounts.get(owner.account.id))).toBe(held)
  })

  test('sees only the account page with the name of the account, and the forms to leave', async () => {
    const { admin, owner } = await acting()
    const page = await admin.get('/account', ownForm)
    expect([page.status, titleOf(page)]).toEqual([200, 'Acting as another user'])
    expect(page.text).toContain(`You’re acting as <strong>${owner.account.name}</strong>`)
    expect(page.text).not.toContain('/account/password')
    const ofOwner = [
      '/sign-in',
      '/account/name',
      '/account/email',
      '/account/password',
      '/account/export',
      '/account/totp',
      '/account/totp/start',
      '/account/totp/confirm',
      '/account/totp/remove',
      '/account/recovery-codes',
      '/account/passkeys',
      '/account/passkeys/start',
      '/account/passkeys/add',
      '/account/passkeys/rename',
      '/account/passkeys/remove',
      '/confirm-password',
      '/second-factor',
      '/passkey',
      '/passkey/start',
      '/devices',
      '/devices/end',
      '/devices/end-others',
      '/step-up',
    ]
    for (const path of ofOwner) {
      const [shown, taken] = [await admin.get(path, ownForm), await admin.post(path, {}, ownForm)]
      const outcome = [path, [303, 405].includes(shown.status), [403, 405].includes(taken.status)]
      expect(outcome).toEqual([path, true, true])
      if (shown.status === 303) expect(shown.headers.get('location')).toBe('/account')
      expect([...shown.cookies, ...taken.cookies]).toEqual([])
    }
    const ended = await admin.post('/impersonation/end', {}, ownForm)
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/sign-in'])
    expect(admin.jar.has('__Host-session')).toBe(false)
  })

  test('cannot open the link of a mail, which stays valid for its owner', async () => {
    const { admin, bench, owner } = await acting('SESSION', { signIn: { emailCode: {} } })
    const { email } = owner.account
    await bench.visitor().post('/reset', { email }, ownForm)
    const token = await bench.mailedToken(email)
    await (await bench.server.accounts()).settled()
    const [before, mails] = [await bench.stores.accounts.get(owner.account.id), bench.outbox.length]
    for (const path of [
      '/sign-up',
      '/sign-in-code',
      '/verify',
      '/reset',
      '/confirm-email-change',
      '/undo-email-change',
    ]) {
      const shown = await admin.get(`${path}?token=${token}`)
      expect([path, shown.status, shown.headers.get('location')]).toEqual([path, 303, '/account'])
      const taken = await admin.post(path, { token, email, name: 'Ada', password: newPassword }, ownForm)
      expect([path, taken.status, taken.cookies]).toEqual([path, 403, []])
      expect(taken.text).toContain('<a href="/account">Acting as another user</a>')
    }
    await (await bench.server.accounts()).settled()
    expect([await bench.stores.accounts.get(owner.account.id), bench.outbox.length]).toEqual([before, mails])
    expect((await owner.get(`/reset?token=${token}`)).status).toBe(200)
    const done = await owner.post('/reset', { token, password: newPassword }, ownForm)
    expect([done.status, titleOf(done)]).toEqual([200, 'Password changed'])
  })

  test('is listed as support in the devices of the owner, without address and user agent', async () => {
    const { owner, adminId } = await acting()
    const { sessions } = okData(await owner.ask(query.sessions))
    const mine = sessions.filter((session: { impersonatedBy: string | null }) => session.impersonatedBy !== null)
    expect(mine).toMatchObject([{ impersonatedBy: adminId, address: null, userAgent: null, current: false }])
    const page = await owner.get('/devices', ownForm)
    expect(page.text).toContain('Support, acting as you')
    expect(page.text).toContain(`id="end-${mine[0].id}"`)
  })

  test('is signed out for clients: neither code nor consent is given for the account', async () => {
    const bench = createAskingBench({ options: on() })
    const owner = await bench.insert()
    const admin = await signedInAdmin(bench)
    expect((await admin.get(requestPath(), ownForm)).headers.get('location')).toMatch(/^\/consent/)
    await actAs(admin, owner.id)
    const asked = await admin.get(requestPath(), ownForm)
    expect(asked.headers.get('location')).toMatch(/^\/sign-in/)
    const shown = await admin.get(asked.headers.get('location') ?? '', ownForm)
    expect([shown.status, shown.headers.get('location')]).toEqual([303, '/account'])
    for (const path of ['/consent', '/device', '/device/decision', '/account/applications/revoke']) {
      expect([path, [403, 405].includes((await admin.post(path, {}, ownForm)).status)]).toEqual([path, true])
    }
  })

  test('needs no factor of the account if accounts must have a second factor', async () => {
    const { admin } = await acting('SESSION', { signIn: { secondFactor: { required: 'all', graceSeconds: 600 } } })
    expect((await admin.ask(query.viewer)).status).toBe(200)
    expect(okData(await admin.ask(query.write)).writeNote).toBe('hello')
  })

  test("is refused by the use case if the application's field has no rule for owners", async () => {
    const { bench, admin, owner } = await acting('SESSION', {
      typeDefs: `type Query { hello: String! @public }
        type Mutation { moveTo(email: String!): Boolean! @authenticated }`,
      resolvers: {
        Query: { hello: () => 'Hello' },
        Mutation: {
          moveTo: (_source, { email: newEmail }: { email: string }, { accounts, authorize, attempt }) =>
            accounts.requestEmailChange({ identity: authorize('authenticated'), newEmail, attempt: attempt() }),
        },
      },
    })
    const move = 'mutation { moveTo(email: "new@example.com") }'
    expect(whyRefused(await admin.ask(move))).toEqual(ownersAlone)
    expect(okData(await owner.ask(move)).moveTo).toBe(true)
    await bench.server.close()
    const asked = bench.outbox.filter(({ kind }) => kind === 'confirm-email-change')
    expect(asked.map(({ to }) => to)).toEqual(['new@example.com'])
  })

  test('cannot renew what is left of the time', async () => {
    const { admin } = await acting('NATIVE')
    const refreshed = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken } }'
    expect(whyRefused(await admin.ask(refreshed))).toEqual(ownersAlone)
  })
})

describe('a decision of an impersonator', () => {
  test('names the administrator as impersonatorId in its event, with the account', async () => {
    const { bench, admin, owner, adminId } = await acting()
    const both = { accountId: owner.account.id, impersonatorId: adminId }
    expect(bench.events.at(-1)).toMatchObject({ type: 'impersonation.started', ...both, via: 'cookie' })
    await admin.ask('{ sessions { id } }')
    expect(bench.events.at(-1)).toMatchObject({ type: 'access.denied', ...both, code: 'FORBIDDEN' })
    await admin.ask(query.end)
    expect(bench.events.slice(-2)).toMatchObject([
      { type: 'session.ended', accountId: adminId },
      { type: 'impersonation.ended', ...both },
    ])
    expect(bench.events.at(-2)).not.toHaveProperty('impersonatorId')
    expect(JSON.stringify(bench.events)).not.toContain('4711')
  })

  test('names the administrator as actor in its audit row, with the reason', async () => {
    const bench = await createAuditedBench(on())
    const owner = await bench.insert()
    const admin = await signedInAdmin(bench)
    const auditor = await signedInAdmin(bench)
    bench.written()
    await actAs(admin, owner.id)
    await admin.ask('mutation { signOut }')
    expect(bench.written()).toEqual([
      'impersonation.started intended',
      'impersonation.started done',
      'impersonation.ended intended',
      'session.ended intended',
      'session.ended done',
      'impersonation.ended done',
    ])
    const { nodes } = await listEntries(auditor, { accountId: owner.id })
    expect(nodes.map(({ kind, actorId }) => [kind, actorId])).toEqual([
      ['impersonation.ended', admin.account.id],
      ['impersonation.started', admin.account.id],
    ])
    const rows = bench.database.prepare('select * from latchkey_audit').all()
    expect(JSON.stringify(rows)).toContain('4711')
  })

  test('is refused while the audit log cannot be written', async () => {
    const bench = await createAuditedBench(on())
    const owner = await bench.insert()
    const admin = await signedInAdmin(bench)
    bench.failAppend(1)
    expect((await start(admin, owner.id)).status).toBe(503)
    expect((await bench.stores.records.listByOwner(owner.id)).items).toEqual([])
  })
})
