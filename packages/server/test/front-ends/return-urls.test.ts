import { describe, expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { comeBack, createProviderBench, locationOf, pressed } from '../support/providers/provider-bench.ts'

const own = 'https://www.example.com'
const options = {
  http: { allowedOrigins: [own, 'https://www.example.com:9443'], corsOrigins: ['https://app.example.org'] },
}
const bench = createBench({ options })

async function signInTo(returnTo: string) {
  const { email } = await bench.insert()
  const answer = await bench.visitor().post('/sign-in', { email, password, return_to: returnTo })
  expect(answer.status).toBe(303)
  return answer.headers.get('location')
}

describe('return_to', () => {
  test.each([
    [own, `${own}/`],
    [`${own}/`, `${own}/`],
    [`${own}/notes?page=2#/end`, `${own}/notes?page=2#/end`],
    ['https://www.example.com:9443/', 'https://www.example.com:9443/'],
    ['https://example.com/notes', '/notes'],
    ['/notes', '/notes'],
  ])('%s is the destination', async (returnTo, location) => {
    expect(await signInTo(returnTo)).toBe(location)
  })

  test.each([
    'https://evil.example/',
    'https://app.example.org/',
    'http://www.example.com/',
    'https://www.example.com:8443/',
    'https://www.example.com:443/',
    'https://www.example.com.evil.example/',
    'https://www.example.com@evil.example/',
    'https://user@www.example.com/',
    'https://www.example.com./',
    'https://WWW.example.com/',
    'HTTPS://www.example.com/',
    'https://a.www.example.com/',
    'https://evilwww.example.com/',
    'https://www.example.com\\@evil.example/',
    'https://www.example.com\\evil',
    'https:/www.example.com/',
    'https:www.example.com/',
    '//www.example.com/',
    '///www.example.com/',
    ' https://www.example.com/',
    'https://www.example.com/\r\nSet-Cookie: a=b',
    'https://www.example.com/ä',
    'https://www.exämple.com/',
    'https://www.example.com//evil.example',
    'https://www.example.com/%2fevil.example',
    'https://www.example.com?x=1',
    'https://www.example.com#x',
    'https://example.com//evil.example',
    'https://example.com/\\evil.example',
    'javascript:alert(1)//https://www.example.com/',
    'data:text/html,x',
    'capacitor://localhost/',
    'null',
    `${own}/${'a'.repeat(3_000)}`,
  ])('%j is replaced by the home', async (returnTo) => {
    expect(await signInTo(returnTo)).toBe('/account')
    const page = await bench.visitor().get(`/sign-in?return_to=${encodeURIComponent(returnTo)}`)
    expect(page.text).not.toContain('name="return_to"')
  })

  test('is passed on by the form if its origin is allowed, and the form may redirect there', async () => {
    const page = await bench.visitor().get(`/sign-in?return_to=${encodeURIComponent(`${own}/notes`)}`)
    expect(page.text).toContain(`name="return_to" value="${own}/notes"`)
    const policy = page.headers.get('content-security-policy')
    expect(policy).toMatch(/form-action 'self'[^;]* https:\/\/www\.example\.com/)
    expect(policy).not.toContain('app.example.org')
    expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test('cannot be a URL without allowedOrigins', async () => {
    const closed = createBench()
    const { email } = await closed.insert()
    const answer = await closed.visitor().post('/sign-in', { email, password, return_to: `${own}/` })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
  })
})

test.each([
  [`${own}/notes`, `${own}/notes`],
  ['https://evil.example/', '/account'],
])('a sign-in with a provider redirects from return_to %s to %s', async (returnTo, location) => {
  const providing = createProviderBench({ options })
  await providing.link((await providing.insert()).id)
  const visitor = providing.visitor()
  const url = providing.one.authorize(await pressed(visitor, '/sign-in/with/one', { return_to: returnTo }))
  expect(locationOf(await comeBack(visitor, url))).toEqual([303, location])
})
