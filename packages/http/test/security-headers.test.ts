import { createSecurityHeaders } from '@latchkey/http'
import { describe, expect, test } from 'vitest'

const security = createSecurityHeaders({ https: true })
const nonce = security.newNonce()
const policyOf = (headers: ReturnType<typeof security.page>) =>
  new Headers(headers as [string, string][]).get('content-security-policy') ?? ''

test('data is given no power at all', () => {
  expect(Object.fromEntries(security.api)).toEqual({
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  })
})

test('a page runs only scripts with its nonce, is never cached and cannot be framed', () => {
  expect(Object.fromEntries(security.page(nonce))).toEqual({
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'Content-Security-Policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  })
  expect(policyOf(security.page(nonce))).not.toMatch(/unsafe|\*/)
})

test('only a service over https promises https', () => {
  const plain = createSecurityHeaders({ https: false })
  for (const headers of [plain.api, plain.page(nonce)]) {
    expect(headers.map(([name]) => name)).not.toContain('Strict-Transport-Security')
  }
})

test('a nonce has 16 random bytes and never comes twice', () => {
  const nonces = Array.from({ length: 100 }, () => security.newNonce())
  expect(new Set(nonces).size).toBe(100)
  for (const text of nonces) expect(text).toMatch(/^[\w-]{22}$/)
})

describe('a form', () => {
  test('to another site keeps the opener of its page, and no other form does', () => {
    const policiesOf = (formTargets: readonly string[]) =>
      security.page(nonce, { formTargets }).filter(([name]) => name === 'Cross-Origin-Opener-Policy')
    expect(policiesOf([])).toEqual([['Cross-Origin-Opener-Policy', 'same-origin']])
    expect(policiesOf(['https://client.example'])).toEqual([])
  })

  test('may lead to the given targets: an origin or a native application', () => {
    const formTargets = ['https://client.example', 'http://127.0.0.1:4001', 'com.example.app:']
    expect(policyOf(security.page(nonce, { formTargets }))).toContain(
      "; form-action 'self' https://client.example http://127.0.0.1:4001 com.example.app:; ",
    )
  })

  test.each([
    ['http://[::1]:4001', 'http://*:4001'],
    ['http://[::1]', 'http://*:80'],
    ['https://[2001:db8::1]', 'https://*:443'],
  ])('%s has no host that a policy can name: its scheme and its port are named', (target, source) => {
    expect(policyOf(security.page(nonce, { formTargets: [target] }))).toContain(`; form-action 'self' ${source}; `)
  })

  test.each([
    'https://client.example/callback',
    'https://client.example;',
    "https://client.example 'unsafe-inline'",
    'https://*.example',
    'https:',
    'javascript:',
    'data:',
    '*',
    "'none'",
    '',
    'com.example.app:; script-src *',
  ])('may not end at %j', (target) => {
    expect(() => security.page(nonce, { formTargets: [target] })).toThrow(/^"formTargets"/)
  })
})

test.each(['', 'short', `${nonce}'`, `${nonce}; script-src *`, `${nonce} ${nonce}`, `${nonce}\n`, 'ä'.repeat(22)])(
  'the nonce %j is refused',
  (text) => {
    expect(() => security.page(text)).toThrow(/^"nonce"/)
  },
)

test('whether the service is reached over https must be told', () => {
  expect(() => createSecurityHeaders({} as { https: boolean })).toThrow(/^"https"/)
})
