import { beforeEach, describe, expect, test } from 'vitest'
import { password, type SignedIn } from '../support/bench.ts'
import { createAskingBench, follow, hiddenFields, leadsTo, open, signInAt } from '../support/clients/asking.ts'
import { grantsOf } from '../support/clients/grants-of.ts'
import { fieldValue, ownForm, titleOf } from '../support/forms.ts'
import type { Answer, Visitor } from '../support/visitor.ts'

const bench = createAskingBench()
let visitor: SignedIn
// Wrong codes of one test are those of its account, and of the address that the next one comes from as well.
beforeEach(async () => {
  bench.advance(60)
  visitor = await bench.signedIn()
})

interface Device {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri_complete: string
}

async function startDevice(scope = 'openid notes:write'): Promise<Device> {
  const { status, text } = await bench.visitor().post('/device_authorization', { client_id: 'television', scope })
  if (status !== 200) throw new Error(`no device: ${status} ${text}`)
  return JSON.parse(text)
}

/** What the device is answered. */
async function poll({ device_code }: Device): Promise<string> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const { text } = await bench.visitor().post('/token', { grant_type, client_id: 'television', device_code })
  const { error, access_token } = JSON.parse(text)
  return error ?? (access_token ? 'tokens' : text)
}

const enter = (userCode: string, who: Visitor = visitor) => who.post('/device', { user_code: userCode }, ownForm)
const answer = (page: Answer, decision: string, who: Visitor = visitor) =>
  who.post('/device/decision', { ...hiddenFields(page), decision }, ownForm)

describe('/device', () => {
  test('takes the code, shows client and scopes, and connects the device', async () => {
    const device = await startDevice()
    const form = await visitor.get('/device')
    expect([form.status, titleOf(form), fieldValue(form, 'user_code')]).toEqual([200, 'Connect a device', ''])
    const page = await enter(device.user_code)
    expect([page.status, titleOf(page)]).toEqual([200, 'Allow this device?'])
    for (const words of [
      '<strong><bdi>Television</bdi></strong> wants to access your account.',
      `<strong>${visitor.account.email}</strong>`,
      '<li>Recognize your account</li>',
      '<li><code>notes:write</code></li>',
      `is showing the code <strong>${device.user_code}</strong>.`,
    ]) {
      expect(page.text).toContain(words)
    }
    expect(await poll(device)).toBe('authorization_pending')
    const done = await answer(page, 'allow')
    expect(leadsTo(done)).toBe('/device/allowed')
    expect(titleOf(await follow(visitor, done))).toBe('Your device is connected')
    bench.advance(5)
    expect(await poll(device)).toBe('tokens')
  })

  test('answers the device that its user has refused', async () => {
    const device = await startDevice()
    const done = await answer(await enter(device.user_code), 'deny')
    expect(titleOf(await follow(visitor, done))).toBe('Device not connected')
    expect(await poll(device)).toBe('access_denied')
    expect(await grantsOf(bench, visitor.account.id)).toEqual([])
  })

  test.each([
    ['in lower case', (code: string) => code.toLowerCase()],
    ['without the dash', (code: string) => code.replace('-', '')],
    ['with spaces around it', (code: string) => ` ${code} `],
    ['with a full-width dash', (code: string) => code.replace('-', '\uff0d')],
    ['with marks of direction around it', (code: string) => `\u200f${code}\u200f`],
  ])('takes the code %s', async (_how, write) => {
    const { user_code } = await startDevice()
    const page = await enter(write(user_code))
    expect([page.status, titleOf(page)]).toEqual([200, 'Allow this device?'])
    expect(page.text).toContain(`is showing the code <strong>${user_code}</strong>.`)
  })

  test('fills in the code of a link without looking it up', async () => {
    const { user_code, verification_uri_complete } = await startDevice()
    const { pathname, search } = new URL(verification_uri_complete)
    const page = await visitor.get(`${pathname}${search}`)
    expect([page.status, titleOf(page)]).toEqual([200, 'Connect a device'])
    expect(fieldValue(page, 'user_code')).toBe(user_code)
    expect(page.text).not.toContain('Television')
  })

  test.each(['"><script>alert(1)</script>', 'x'.repeat(33), 'ABCD\u0301', '<b>'])(
    'has an empty field for the link with %j',
    async (code) => {
      const page = await visitor.get(`/device?${new URLSearchParams({ user_code: code })}`)
      expect([page.status, fieldValue(page, 'user_code')]).toEqual([200, ''])
    },
  )

  test('requires a sign-in first, which keeps the code', async () => {
    const { user_code } = await startDevice()
    const other = bench.visitor()
    const { email } = await bench.insert()
    for (const first of [await other.get(`/device?user_code=${user_code}`), await enter(user_code, other)]) {
      const signIn = await follow(other, first)
      expect(titleOf(signIn)).toBe('Sign in')
      const page = await follow(other, await signInAt(other, signIn, email))
      expect([titleOf(page), fieldValue(page, 'user_code')]).toEqual(['Connect a device', user_code])
      await other.post('/sign-out', {}, ownForm)
    }
  })

  test.each([
    [
      'a code that no device has',
      'BBBB-BBBB',
      'That code is incorrect, already used or expired. Check the code on your device.',
    ],
    ['no code', '', 'Enter a valid code. Codes contain only letters.'],
    ['something that is no code', '<b>', 'Enter a valid code. Codes contain only letters.'],
    ['more than any code has', 'B'.repeat(10_000), 'Enter a valid code. Codes contain only letters.'],
  ])('shows the problem at %s', async (_what, code, sentence) => {
    const page = await enter(code)
    expect([page.status, titleOf(page)]).toEqual([400, 'Connect a device'])
    expect(page.text).toContain(`<p class="problem" id="problem" role="alert">${sentence}`)
    expect(fieldValue(page, 'user_code')).toBe(code === 'BBBB-BBBB' ? code : '')
  })

  test('is 429 with Retry-After after five wrong codes, for a right one, too', async () => {
    const { user_code } = await startDevice()
    for (let guess = 0; guess < 5; guess++) expect((await enter('BBBB-BBBB')).status).toBe(400)
    const page = await enter(user_code)
    expect([page.status, titleOf(page)]).toEqual([429, 'Too many attempts'])
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(page.text).not.toContain('Television')
  })
})

describe('a decision about a device that is not the one of its page', () => {
  test.each<[what: string, status: number, send: (page: Answer, other: Answer) => Promise<Answer>]>([
    ['for another device', 403, (page, other) => answer({ ...page, text: swapCode(page, other) }, 'allow')],
    ['from another browser', 403, async (page) => answer(page, 'allow', await bench.signedIn())],
    ['from a browser without a session', 303, (page) => answer(page, 'allow', bench.visitor())],
    ['without its token', 403, (page) => post({ user_code: hiddenFields(page).user_code ?? '', decision: 'allow' })],
    ['without a decision', 400, (page) => post(hiddenFields(page))],
    ['with another decision', 400, (page) => answer(page, 'yes')],
    [
      'by a page of another site',
      403,
      (page) => post({ ...hiddenFields(page), decision: 'allow' }, { origin: 'https://evil.example' }),
    ],
  ])('%s is answered %i and connects nothing', async (_what, status, send) => {
    const [device, second] = [await startDevice(), await startDevice()]
    const page = await enter(device.user_code)
    const sent = await send(page, await enter(second.user_code))
    expect(sent.status).toBe(status)
    expect([await poll(device), await poll(second)]).toEqual(['authorization_pending', 'authorization_pending'])
    expect(await grantsOf(bench, visitor.account.id)).toEqual([])
  })

  const post = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = ownForm) =>
    visitor.post('/device/decision', fields, headers)
  const swapCode = (page: Answer, other: Answer) =>
    page.text.replaceAll(hiddenFields(page).user_code ?? '', hiddenFields(other).user_code ?? '')

  test('is ignored after the first decision', async () => {
    const device = await startDevice()
    const page = await enter(device.user_code)
    await answer(page, 'deny')
    const again = await answer(page, 'allow')
    expect([again.status, titleOf(again)]).toEqual([200, 'This request is no longer valid'])
    expect(await poll(device)).toBe('access_denied')
  })

  test('can be repeated: it has no further effect and counts as no wrong code, even if the device has its tokens', async () => {
    const device = await startDevice()
    const page = await enter(device.user_code)
    await answer(page, 'allow')
    for (let click = 0; click < 3; click++) expect((await answer(page, 'allow')).status).toBe(200)
    expect(await poll(device)).toBe('tokens')
    for (let click = 0; click < 3; click++) {
      const again = await answer(page, click ? 'allow' : 'deny')
      expect([again.status, titleOf(again)]).toEqual([200, 'This request is no longer valid'])
    }
    expect(await grantsOf(bench, visitor.account.id)).toHaveLength(1)
    expect((await enter((await startDevice()).user_code)).status).toBe(200)
  })

  test('counts with the token of another form: five are 429', async () => {
    const page = await enter((await startDevice()).user_code)
    const guess = () => post({ ...hiddenFields(page), user_code: 'BBBB-BBBB', decision: 'allow' })
    for (let tried = 0; tried < 5; tried++) expect((await guess()).status).toBe(400)
    expect((await guess()).status).toBe(429)
  })
})

test('an account that must set up a second factor connects no device', async () => {
  const strict = createAskingBench({
    beside: bench,
    options: { signIn: { secondFactor: { required: 'all', graceSeconds: 0 } } },
  })
  const other = strict.visitor()
  await other.post('/sign-in', { email: visitor.account.email, password }, ownForm)
  expect(leadsTo(await other.get('/device'))).toBe('/account')
  expect(titleOf(await open(other, '/device?user_code=BBBB-BBBB'))).toBe('Your account')
})
