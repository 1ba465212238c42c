import { reportAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'
import { type BenchOptions, createBench, createMemoryStores, password, withoutReservations } from '../support/bench.ts'
import { life } from './operations.ts'

type Options = NonNullable<BenchOptions['options']>

const bareStores = withoutReservations(createMemoryStores())
const ours = /^Mutation\.(?:changeName|.*EmailChange|deleteAccount|exportAccount)$/

describe('the operations of owners', () => {
  const onDelete = (): void => {}
  const changes = ['confirmEmailChange', 'requestEmailChange', 'undoEmailChange']
  test.each<[string, Options, readonly string[]]>([
    ['accounts without reservations', { stores: bareStores }, ['changeName', 'exportAccount']],
    ['accounts with reservations', {}, ['changeName', ...changes, 'exportAccount']],
    [
      'undoDays: 0, which needs no reservations',
      { stores: bareStores, accounts: { emailUndoDays: 0 } },
      ['changeName', ...changes, 'exportAccount'],
    ],
    [
      'deletion',
      { stores: bareStores, accounts: { deletion: { onDelete } } },
      ['changeName', 'deleteAccount', 'exportAccount'],
    ],
  ])('are those that the options allow: with %s', (_what, options, expected) => {
    const { rows } = reportAccess(createBench({ options }).server.access)
    const found = rows.map(({ coordinate }) => coordinate).filter((name) => ours.test(name))
    expect(found.sort()).toEqual(expected.map((name) => `Mutation.${name}`).sort())
  })
})

describe('a server is refused at once', () => {
  test.each<[string, object]>([
    [
      '"stores.accounts.reservations" must have "reserve", or be omitted',
      { stores: { ...bareStores, accounts: { ...bareStores.accounts, reservations: null } } },
    ],
    [
      '"stores.accounts.identities" must have "read", or be omitted',
      { stores: { ...bareStores, accounts: { ...bareStores.accounts, identities: {} } } },
    ],
    [
      '"accounts.emailUndoDays" needs "stores.accounts.reservations", or must be 0',
      { stores: bareStores, accounts: { emailUndoDays: 7 } },
    ],
    ['"accounts.emailUndoDays" must be a whole number of days from 0 to 30', { accounts: { emailUndoDays: 31 } }],
    ['"accounts.emailUndoDays" must be a whole number of days from 0 to 30', { accounts: { emailUndoDays: '7' } }],
    ['"accounts.deletion.onDelete" must be a function', { accounts: { deletion: {} } }],
    [
      'createServer has no option "accounts.deletion.ondelete". Did you mean "accounts.deletion.onDelete"?',
      { accounts: { deletion: { ondelete: () => {} } } },
    ],
    ['"accounts.dataExport.application" must be a function', { accounts: { dataExport: { application: 1 } } }],
    [
      'createServer has no option "accounts.dataExport.grants": it is exported by itself',
      { accounts: { dataExport: { grants: () => [] } } },
    ],
    ['"accounts.impersonation" needs "signIn.totp" or "signIn.passkeys"', { accounts: { impersonation: {} } }],
    [
      'createServer has no option "accounts.impersonation.mayImpersonate"',
      { accounts: { impersonation: { mayImpersonate: () => true } } },
    ],
    ['"accounts.impersonation.lifetimeSeconds" must be', { accounts: { impersonation: { lifetimeSeconds: 3601 } } }],
    [
      '"accounts.impersonation" needs the permission "accounts:impersonate" in "policy"',
      {
        accounts: { impersonation: {} },
        policy: definePolicy({ permissions: ['notes:write'], roles: { READER: {} } }),
      },
    ],
    ['createServer has no option "mails.text". Did you mean "mails.texts"?', { mails: { text: {} } }],
    ['"mails.links.resetPassword" must be a path', { mails: { links: { resetPassword: 'reset' } } }],
    [
      '"mails.linkSeconds.confirmEmailChange" must be a whole number',
      { mails: { linkSeconds: { confirmEmailChange: 1 } } },
    ],
  ])('%s', (message, options) => {
    const create = () => createBench({ options: options as Options })
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })
})

describe('the mails of a service', () => {
  const german = {
    'email-change-notice': ({ url }: { readonly url: string }) => ({ subject: 'Neue Adresse', paragraphs: [url] }),
  }

  test("use the application's links, and the language that the browser prefers", async () => {
    const links = { undoEmailChange: 'https://app.example.com/undo', confirmEmailChange: '/my/address' }
    const bench = createBench({ options: { mails: { texts: { de: german }, links } } })
    for (const [language, locale] of [
      ['de-AT, en;q=0.5', 'de'],
      ['fr', 'en'],
    ] as const) {
      const reader = await bench.signedIn()
      const to = `new-${reader.account.email}`
      const headers = { 'accept-language': language }
      await reader.ask(life.requestEmailChange, { input: { newEmail: to } }, headers)
      await (await bench.server.accounts()).settled()
      const mailTo = (address: string) => bench.outbox.find((mail) => mail.to === address)
      expect(mailTo(reader.account.email)).toMatchObject({ locale })
      expect(mailTo(reader.account.email)?.subject === 'Neue Adresse').toBe(locale === 'de')
      expect(mailTo(reader.account.email)?.url).toMatch(/^https:\/\/app\.example\.com\/undo\?token=/)
      expect(mailTo(to)?.url).toMatch(/^https:\/\/example\.com\/my\/address\?token=/)
    }
  })

  test('report an unknown device with notifyNewDevices', async () => {
    const bench = createBench({ options: { mails: { notifyNewDevices: true } } })
    const reader = await bench.signedIn()
    await reader.signIn(reader.account.email, password)
    await bench.visitor().signIn(reader.account.email, password)
    await (await bench.server.accounts()).settled()
    const told = bench.outbox.filter(({ kind }) => kind === 'new-device').length
    expect(told).toBe(2)
    const without = createBench()
    await without.signedIn()
    await (await without.server.accounts()).settled()
    expect(without.outbox).toEqual([])
  })
})
