import { describe, expect, test } from 'vitest'
import { ownForm, titleOf } from '../support/forms.ts'
import { createKeysBench } from './keys-bench.ts'

const write = 'mutation { writeNote(text: "x") }'
const path = '/account/keys'
const form = { name: 'Nightly export', days: '30', 'scope-notes:write': 'yes' }
const keyIn = (text: string): string => /<pre[^>]*>(lk_[^<]*)<\/pre>/.exec(text)?.[1] ?? ''

describe('the page of API keys', () => {
  test('creates a key and shows it once, in a response that is not kept', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const shown = await author.get(path)
    expect(titleOf(shown)).toBe('API keys')
    expect(shown.text).toContain('id="scope-notes:write"')
    expect(shown.text).not.toContain('scope-accounts:read')
    const created = await author.post(path, form, ownForm)
    const key = keyIn(created.text)
    expect([created.status, titleOf(created)]).toEqual([200, 'Your new API key'])
    expect(created.headers.get('cache-control')).toContain('no-store')
    expect((await bench.bearing(key).ask(write)).status).toBe(200)
    for (const page of [path, '/account', '/devices']) {
      const { text } = await author.get(page)
      expect(text).toContain('Nightly export')
      expect(text).toContain(`${key.slice(0, 8)}…`)
      expect(text).toContain('<code>notes:write</code>')
      expect(text).not.toContain(key.slice(8))
    }
  })

  test.each([
    [path, 'keys'],
    ['/account', 'account'],
    ['/devices', 'devices'],
  ])('revokes a key from %s, and returns there', async (page, from) => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const other = await bench.signedIn('AUTHOR')
    const { id, program } = await bench.createKey(author)
    await other.post('/account/keys/revoke', { id, from }, ownForm)
    expect((await program.ask(write)).status).toBe(200)
    const revoked = await author.post('/account/keys/revoke', { id, from }, ownForm)
    expect(revoked.headers.get('location')).toBe(page)
    expect((await program.ask(write)).status).toBe(401)
    expect((await author.get(page)).text).not.toContain(`key-${id}`)
  })

  test.each([
    ['no name', { ...form, name: ' ' }],
    ['no scope', { name: 'Export', days: '30' }],
    ['a scope that the account lacks', { ...form, 'scope-accounts:read': 'yes' }],
    ['a lifetime that is none', { ...form, days: '1e9' }],
    ['no lifetime', { name: 'Export', 'scope-notes:write': 'yes' }],
  ])('refuses a form with %s, and stores no key', async (_what, sent) => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const refused = await author.post(path, sent, ownForm)
    expect([refused.status, keyIn(refused.text)]).toEqual([400, ''])
    expect(refused.text).toContain('id="problem"')
    expect((await bench.stores.documents.list('api-keys')).items).toEqual([])
  })

  test('requires a fresh proof before it creates a key, and refuses a forged form', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const forged = await author.post(path, form, {
      ...ownForm,
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    })
    expect(forged.status).toBe(403)
    bench.advance(301)
    expect((await author.get(path)).text).not.toContain('name="days"')
    const asked = await author.post(path, form, ownForm)
    expect(asked.headers.get('location')).toContain('/confirm-password?return_to=%2Faccount%2Fkeys')
    expect((await bench.stores.documents.list('api-keys')).items).toEqual([])
  })

  test('escapes the name of a key', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    await bench.createKey(author, { name: '<script>alert(1)</script>' })
    for (const page of [path, '/account', '/devices'])
      expect((await author.get(page)).text).not.toContain('<script>alert')
  })

  test('redirects to the sign-in without a session', async () => {
    const bench = createKeysBench()
    expect((await bench.visitor().get(path)).headers.get('location')).toContain('/sign-in')
  })
})
