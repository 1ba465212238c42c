import { describe, expect, test } from 'vitest'
import { createBench, email, password } from '../bench.ts'
import { createFactorsBench, storedFactors } from '../factors/factors-bench.ts'

const parse = (text: string | null) => JSON.parse(text ?? 'null')

describe('an export', () => {
  test('has the account, its sessions, factors and passkeys, and emits an event', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const app = await bench.enrollTotp(account)
    const { identity } = await bench.addPasskey({ identity: app.identity } as never)
    const at = new Date(bench.now()).toISOString()
    const exported = await bench.accounts.exportAccount({ identity })
    expect(parse(exported)).toEqual({
      exportedAt: at,
      account: { id: account.id, email, name: account.name, roles: ['READER'], status: 'active' },
      sessions: [
        {
          kind: 'session',
          clientId: null,
          createdAt: at,
          lastUsedAt: at,
          expiresAt: expect.any(String),
          device: { userAgent: null, address: null },
        },
      ],
      factors: [
        { kind: 'totp', category: 'have', createdAt: at, lastUsedAt: at, isDisabled: false },
        { kind: 'passkey', category: expect.any(String), createdAt: at, lastUsedAt: null, isDisabled: false },
        { kind: 'recovery-code', category: 'have', createdAt: at, lastUsedAt: null, isDisabled: false },
      ],
      passkeys: [{ name: 'Phone', createdAt: at, lastUsedAt: null, backedUp: expect.any(Boolean) }],
    })
    expect(bench.events.at(-1)).toMatchObject({ type: 'account.exported', accountId: account.id })
  })

  test('holds no secret: no hash, no secret of an app, no code, no key of a session', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const app = await bench.enrollTotp(account)
    const text = (await bench.accounts.exportAccount({ identity: app.identity })) ?? ''
    const stored = (await storedFactors(bench, account.id)).map(({ value }) => value)
    const secrets = [account.passwordHash ?? '', password, app.secret, ...app.codes, app.credential, ...stored]
    for (const secret of [...secrets, app.identity.key]) expect(text).not.toContain(secret)
  })

  test('has the data of the application, the consents and the audit log for this account', async () => {
    const seen: string[] = []
    const reader =
      (name: string) =>
      async ({ id }: { readonly id: string }) => {
        seen.push(id)
        return [{ name }]
      }
    const dataExport = { grants: reader('web'), auditEntries: reader('sign-in'), application: reader('draft') }
    const bench = createBench({ options: { dataExport } })
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    expect(parse(await bench.accounts.exportAccount({ identity }))).toMatchObject({
      grants: [{ name: 'web' }],
      auditEntries: [{ name: 'sign-in' }],
      application: [{ name: 'draft' }],
    })
    expect(seen).toEqual([id, id, id])
  })

  test('rejects if any part of the export cannot be read', async () => {
    const failing = async () => Promise.reject(new Error('the drafts cannot be read'))
    const bench = createBench({ options: { dataExport: { application: failing } } })
    await bench.insert()
    const { identity } = await bench.signIn()
    await expect(bench.accounts.exportAccount({ identity })).rejects.toThrow('the drafts cannot be read')
    expect(bench.events.map(({ type }) => type)).not.toContain('account.exported')
  })

  test('contains no data of another account', async () => {
    const bench = createBench()
    await bench.insert()
    const other = await bench.insert({ email: 'other@example.com', name: 'Another' })
    await bench.signIn({ email: other.email })
    const { identity } = await bench.signIn()
    const text = (await bench.accounts.exportAccount({ identity })) ?? ''
    for (const part of [other.id, other.email, other.name]) expect(text).not.toContain(part)
    expect(parse(text).sessions).toHaveLength(1)
  })

  test.each([
    ['"dataExport.grants" must be a function', { grants: [] }],
    ['"dataExport" has no option "grant". Did you mean "grants"?', { grant: () => [] }],
  ])('is refused at the factory: %s', (message, dataExport) => {
    expect(() => createBench({ options: { dataExport: dataExport as never } })).toThrow(new TypeError(message))
  })
})
