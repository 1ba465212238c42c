import { type AccountsOptions, type MailTexts, unknownAttempt } from '@latchkey/accounts'
import type { MailKind } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, email, newPassword, password, presentedBy, type TestOptions } from '../bench.ts'

const german: Partial<MailTexts> = {
  'reset-password': ({ url }) => ({ subject: 'Neues Passwort', paragraphs: ['Bitte folgen Sie dem Link:', url] }),
}

async function resetMail(mails: TestOptions['mails'], locale?: string | null) {
  const bench = createBench({ options: mails === undefined ? {} : { mails } })
  await bench.insert()
  const attempt = { ...unknownAttempt, ...(locale !== undefined && { locale }) }
  await bench.accounts.requestPasswordReset({ email, attempt })
  await bench.accounts.settled()
  const [mail] = bench.outbox
  if (!mail) throw new Error('no mail was sent')
  return { bench, mail }
}

describe('a mail', () => {
  test('has its kind, its language, its link and its data', async () => {
    const { bench, mail } = await resetMail(undefined)
    expect(mail).toEqual({
      kind: 'reset-password',
      to: email,
      locale: 'en',
      subject: 'Reset your password',
      text: expect.stringContaining(`\n\n${mail.url}\n\n`),
      html: expect.stringContaining(`<p><a href="${mail.url}">${mail.url}</a></p>`),
      url: expect.stringMatching(/^https:\/\/example\.com\/reset\?token=reset_/),
      data: { url: mail.url, at: bench.now() },
    })
  })

  test('has the same paragraphs in HTML, without external resources', async () => {
    const { mail } = await resetMail(undefined)
    const shown = [...mail.html.matchAll(/<p>(.*)<\/p>/g)].map(([, text = '']) =>
      text.replace(/<[^>]+>/g, '').replaceAll('&#39;', "'"),
    )
    expect(shown).toEqual(mail.text.split('\n\n'))
    const head = '<meta charset="utf-8"><title>Reset your password</title>'
    expect(mail.html.split('\n').slice(0, 3)).toEqual(['<!doctype html>', '<html lang="en">', head])
    expect(mail.html).toMatch(/<\/p>\n<\/html>\n$/)
    expect(mail.html).not.toMatch(/src=|<link|<script|<img|url\(/)
  })

  test.each([
    ['de', 'de', 'Neues Passwort'],
    ['de-AT', 'de', 'Neues Passwort'],
    ['fr', 'en', 'Reset your password'],
    [null, 'en', 'Reset your password'],
    [undefined, 'en', 'Reset your password'],
    ['__proto__', 'en', 'Reset your password'],
    ['', 'en', 'Reset your password'],
  ])('a mail requested in %j is written in %s', async (asked, locale, subject) => {
    const { mail } = await resetMail({ texts: { de: german } }, asked)
    expect(mail).toMatchObject({ locale, subject })
    expect(mail.html).toContain(`<html lang="${locale}">`)
  })

  test('a mail without a requested language is in the language of the service', async () => {
    const { mail } = await resetMail({ language: 'de', texts: { de: german } })
    expect(mail).toMatchObject({ locale: 'de', subject: 'Neues Passwort' })
  })

  test('a mail without texts in a language is in English, with the English texts of the service if any', async () => {
    const own = { 'account-exists': () => ({ subject: 'Hello again', paragraphs: ['You have an account.'] }) }
    for (const [texts, subject] of [
      [{ de: german }, 'You already have an account'],
      [{ de: german, en: own }, 'Hello again'],
    ] as const) {
      const bench = createBench({ options: { mails: { language: 'de', texts } } })
      await bench.insert()
      await bench.accounts.signUp({ email, password, name: 'A' })
      await bench.accounts.settled()
      expect(bench.outbox).toMatchObject([{ kind: 'account-exists', locale: 'en', subject }])
    }
  })

  test('is escaped in HTML, and its subject is a single line', async () => {
    const hostile = `<img src=x onerror="alert('1')"> & more`
    const words = () => ({ subject: 'Reset\r\nBcc: all@example.com', paragraphs: [hostile] })
    const { mail } = await resetMail({ texts: { en: { 'reset-password': words } } })
    expect(mail.subject).toBe('Reset Bcc: all@example.com')
    expect(mail.text).toBe(hostile)
    expect(mail.html).toContain('<p>&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; more</p>')
  })

  test('a mail whose texts throw emits an event, and the answer is the same', async () => {
    const words = () => {
      throw new Error('no words')
    }
    const bench = createBench({ options: { mails: { texts: { en: { 'reset-password': words } } } } })
    await bench.insert()
    expect(await bench.accounts.requestPasswordReset({ email })).toBe(true)
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'mail.failed', purpose: 'reset-password', failure: 'Error' })
  })

  test('leaves the requested language out of events', async () => {
    const { bench } = await resetMail({ texts: { de: german } }, 'de')
    expect(bench.events.length).toBeGreaterThan(0)
    for (const event of bench.events) expect(Object.keys(event)).not.toContain('locale')
  })

  const misspelt = { texts: { de: { 'reset-pasword': () => ({ subject: '', paragraphs: [] }) } } }
  test.each<[string, unknown]>([
    ['createAccounts has no option "mails.locale", only "mails.mailer", "mails.baseUrl"', { locale: 'de' }],
    ['"mails.language" must be the tag of a language, such as "de"', { language: 'German!' }],
    ['"mails.language" must be the tag of a language, such as "de"', { language: null }],
    ['"mails.language" has no words in "mails.texts"', { language: 'de' }],
    ['"mails.texts.de"" must', { texts: { 'de"': {} } }],
    ['"mails.texts.de" has no option "reset-pasword". Did you mean "reset-password"?', misspelt],
    ['"mails.texts.de": "reset-password" must be a function', { texts: { de: { 'reset-password': 'Hello' } } }],
    ['"mails.notifyNewDevices" must be true or false', { notifyNewDevices: 'yes' }],
  ])('is refused at the factory: %s', (message, mails) => {
    expect(() => createBench({ options: { mails: mails as AccountsOptions['mails'] } })).toThrow(message)
  })
})

describe('the words of a language', () => {
  test.each(['de', 'de-AT', 'zh-Hant-TW', 'sl-rozaj-1994'])(
    'the texts are found by the requested tag %s',
    async (tag) => {
      const { mail } = await resetMail({ texts: { [tag]: german } }, tag)
      expect(mail).toMatchObject({ locale: tag, subject: 'Neues Passwort' })
    },
  )

  test.each(['', 'd', 'germanspeaking', 'd1', 'de-', 'de--AT', 'de_AT', 'de-ninechars', '"><de', 'de">', 'de-AT">'])(
    'are refused for %j, which is not a language tag',
    (tag) => {
      const create = () => createBench({ options: { mails: { texts: { [tag]: german } } } })
      expect(create).toThrow(new TypeError(`"mails.texts.${tag}" must be the tag of a language, such as "de"`))
    },
  )

  test('may set a mail to undefined, which is then in English', async () => {
    const { mail } = await resetMail({ texts: { de: { 'reset-password': undefined } as never } }, 'de')
    expect(mail).toMatchObject({ locale: 'en', subject: 'Reset your password' })
  })
})

describe('a mail about a new device', () => {
  const mails = { notifyNewDevices: true }
  const sent = async ({ accounts, outbox }: Bench): Promise<readonly MailKind[]> => {
    await accounts.settled()
    return outbox.map(({ kind }) => kind)
  }

  test('is sent for a device that the account does not know, and not for a known device', async () => {
    const bench = createBench({ options: { mails } })
    await bench.insert()
    const { deviceToken } = await bench.signIn()
    expect(await sent(bench)).toEqual(['new-device'])
    await bench.signIn({ attempt: presentedBy(deviceToken) })
    expect(await sent(bench)).toEqual(['new-device'])
    await bench.signIn({ attempt: presentedBy('forged') })
    expect(await sent(bench)).toEqual(['new-device', 'new-device'])
  })

  test('is not sent for a refused sign-in', async () => {
    const bench = createBench({ options: { mails } })
    await bench.insert()
    await bench.accounts.signIn({ email, password: newPassword, delivery: 'session' })
    expect(await sent(bench)).toEqual([])
  })

  test('is sent three times within an hour', async () => {
    const bench = createBench({ options: { mails } })
    await bench.insert()
    for (let count = 0; count < 5; count++) await bench.signIn()
    expect(await sent(bench)).toHaveLength(3)
    expect(bench.events.filter(({ type }) => type === 'mail.withheld')).toMatchObject(
      Array(2).fill({ purpose: 'new-device' }),
    )
  })

  test('the mail about a new device is optional and needs known devices', async () => {
    const bench = createBench()
    await bench.insert()
    await bench.signIn()
    expect(await sent(bench)).toEqual([])
    expect(() => createBench({ options: { mails, signIn: { knownDevices: undefined } } as never })).toThrow(
      new TypeError('"mails.notifyNewDevices" needs "signIn.knownDevices"'),
    )
  })
})
