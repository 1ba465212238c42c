import { unknownAttempt } from '@latchkey/accounts'
import { checkAccountLife } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { createBench, email, joinOptions, password, type TestOptions } from '../bench.ts'
import { mailsTo, newEmail } from '../own-account/mailed-links.ts'

const app = 'https://app.example.com'

/** Where the mails lead that a sign-up, a reset and a change of address send, without their tokens. */
async function placesOf(mails: TestOptions['mails']) {
  const bench = createBench({ options: mails === undefined ? {} : { mails } })
  await bench.accounts.signUp({ email: 'third@example.com', password, name: 'Ada', attempt: unknownAttempt })
  await bench.insert()
  const { identity } = await bench.signIn()
  await bench.accounts.requestPasswordReset({ email })
  await bench.accounts.requestEmailChange({ identity, newEmail })
  const sent = await Promise.all(['third@example.com', email, newEmail].map((to) => mailsTo(bench, to)))
  return Object.fromEntries(sent.flat().flatMap(({ kind, url }) => (url ? [[kind, url.split('?token=')[0]]] : [])))
}

describe('the links of mails', () => {
  test('lead to pages of the service by default', async () => {
    expect(await placesOf(undefined)).toEqual({
      'verify-address': 'https://example.com/verify',
      'reset-password': 'https://example.com/reset',
      'confirm-email-change': 'https://example.com/confirm-email-change',
      'email-change-notice': 'https://example.com/undo-email-change',
    })
  })

  test('lead to pages of the application, by a URL or by a path of the service', async () => {
    const links = {
      verifyEmail: `${app}/welcome`,
      resetPassword: '/passwords/new',
      confirmEmailChange: `${app}/address`,
      undoEmailChange: 'http://127.0.0.1:3000/undo',
    }
    expect(await placesOf({ links })).toEqual({
      'verify-address': `${app}/welcome`,
      'reset-password': 'https://example.com/passwords/new',
      'confirm-email-change': `${app}/address`,
      'email-change-notice': 'http://127.0.0.1:3000/undo',
    })
  })

  test('replace the pages without a token, in the texts and in the data', async () => {
    const links = { requestPasswordReset: `${app}/forgotten`, devices: '/my/devices', account: `${app}/me` }
    for (const [given, [resetUrl, devicesUrl, accountUrl]] of [
      [undefined, ['https://example.com/reset', 'https://example.com/devices', 'https://example.com/account']],
      [links, [`${app}/forgotten`, 'https://example.com/my/devices', `${app}/me`]],
    ] as const) {
      const bench = createBench({ options: { mails: { notifyNewDevices: true, ...(given && { links: given }) } } })
      await bench.insert()
      await bench.signIn()
      await bench.accounts.signUp({ email, password, name: 'Ada', attempt: unknownAttempt })
      const sent = await mailsTo(bench, email)
      expect(sent).toMatchObject([
        { kind: 'new-device', url: null, data: { devicesUrl, resetUrl } },
        { kind: 'account-exists', url: null, data: { accountUrl, resetUrl } },
      ])
      const shown = sent.map(({ html }) => [...html.matchAll(/<a href="([^"]+)">\1<\/a>/g)].map(([, to]) => to))
      expect(shown).toEqual([
        [devicesUrl, resetUrl],
        [accountUrl, resetUrl],
      ])
    }
  })

  test.each([
    '',
    'welcome',
    'javascript:alert(1)',
    'xhttps://app.example.com/welcome',
    'data:text/html,x',
    `${app}/welcome?next=/`,
    `${app}/welcome#token`,
    'https://ada:secret@app.example.com/welcome',
    '/wel come',
    '/welcome\nbcc: x',
    '/\\evil.example.com',
    7,
    null,
  ])('pages %j are refused at the factory', (place) => {
    for (const name of ['verifyEmail', 'requestPasswordReset', 'devices', 'account']) {
      const mails = { links: { [name]: place } } as never
      const message = `"mails.links.${name}" must be a path or an http or https URL, without query and fragment`
      expect(() => createBench({ options: { mails } })).toThrow(new TypeError(message))
    }
  })
})

describe('checkAccountLife', () => {
  const mails = { mailer: { send: async () => {} }, baseUrl: 'https://example.com' }

  test('takes what createAccounts takes', () => {
    const onDelete = (): void => {}
    expect(() => checkAccountLife({ mails })).not.toThrow()
    expect(() =>
      checkAccountLife({ emailUndoDays: 30, deletion: { onDelete }, mails: { ...mails, notifyNewDevices: true } }),
    ).not.toThrow()
  })

  test.each<[string, object]>([
    ['"emailUndoDays" must be a whole number of days from 0 to 30', { emailUndoDays: 31 }],
    ['"deletion.onDelete" must be a function', { deletion: {} }],
    ['"dataExport.application" must be a function', { dataExport: { application: 'all' } }],
    ['"mails.notifyNewDevices" must be true or false', { mails: { notifyNewDevices: 'yes' } }],
    ['"mails.requestsPerAddress" must be a whole number of at least 1', { mails: { requestsPerAddress: 0 } }],
    ['"mails.language" has no words in "mails.texts"', { mails: { language: 'de' } }],
    ['createAccounts has no option "mails.link". Did you mean "mails.links"?', { mails: { link: {} } }],
    ['"mails.links" has no option "verify". Did you mean "verifyEmail"?', { mails: { links: { verify: '/x' } } }],
  ])('refuses what createAccounts refuses: %s', (message, options) => {
    const check = () => checkAccountLife(joinOptions({ mails }, options))
    expect(check).toThrow(TypeError)
    expect(check).toThrow(message)
    expect(() => createBench({ options })).toThrow(message)
  })
})
