import { createForgeryCheck, createHttpHandler, type ForgeryCheck } from '@latchkey/http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

type Options = Parameters<typeof createForgeryCheck>[0]
type Verdict = ReturnType<ForgeryCheck['checkOrigin']>

const older = { id: 'older', bytes: new Uint8Array(32).fill(1) }
const newer = { id: 'newer', bytes: new Uint8Array(32).fill(2) }
const origins = ['https://example.com', 'http://localhost:4000'] as const
const check = createForgeryCheck({ origins, secrets: [older] })

async function judge(forgery: ForgeryCheck, headers: HeadersInit): Promise<Verdict | undefined> {
  let verdict: Verdict | undefined
  const handler = createHttpHandler(async (request) => {
    verdict = forgery.checkOrigin(request)
    return { status: 204, headers: [], body: null }
  })
  // A Headers object on its own keeps the names that a Request forbids to scripts.
  await handler.handle({
    method: 'POST',
    target: '/',
    headers: new Map(new Headers(headers)),
    cookies: new Map(),
    peerAddress: null,
    signal: AbortSignal.timeout(1_000),
    body: async () => '',
  })
  return verdict
}

/** Each is another origin than https://example.com and http://localhost:4000. */
const hostileOrigins = [
  'null',
  '',
  '*',
  'https://evil.example',
  'http://example.com',
  'https://example.com:8443',
  'https://example.com:443',
  'http://localhost',
  'http://localhost:4001',
  'https://EXAMPLE.com',
  'HTTPS://example.com',
  'https://example.com.',
  'https://example.com/',
  'https://a.example.com',
  'https://example.com.evil.example',
  'https://evilexample.com',
  'https://example.com@evil.example',
  'https://a:b@example.com',
  'https://xn--exmple-cua.com',
  'https://ex%61mple.com',
  'https://example.com, https://evil.example',
]

const accepted = { ok: true }
const refused = (reason: string) => ({ ok: false, reason })

describe('the sender of a request', () => {
  test.each<[string, HeadersInit]>([
    ['no browser', {}],
    ['our own page', { 'sec-fetch-site': 'same-origin' }],
    ['our own page, with its origin', { 'sec-fetch-site': 'same-origin', origin: 'https://example.com' }],
    ['the visitor herself', { 'sec-fetch-site': 'none' }],
    ['a listed origin, in a browser without Fetch Metadata', { origin: 'https://example.com' }],
    ['another listed origin', { origin: 'http://localhost:4000' }],
    ['a listed sibling', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:4000' }],
  ])('is accepted: %s', async (_what, headers) => {
    expect(await judge(check, headers)).toEqual(accepted)
  })

  test.each<[string, HeadersInit, string]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }, 'cross-site'],
    ['another site that claims our origin', { 'sec-fetch-site': 'cross-site', origin: origins[0] }, 'cross-site'],
    ['a sibling without an origin', { 'sec-fetch-site': 'same-site' }, 'same-site'],
    ...hostileOrigins.map((origin): [string, HeadersInit, string] => [
      `a sibling of the origin ${JSON.stringify(origin)}`,
      { 'sec-fetch-site': 'same-site', origin },
      'same-site',
    ]),
    [
      'a sibling of two origins',
      [
        ['sec-fetch-site', 'same-site'],
        ['origin', origins[0]],
        ['origin', origins[0]],
      ],
      'same-site',
    ],
    ['an unknown value', { 'sec-fetch-site': 'Same-Origin' }, 'cross-site'],
    ['an empty value', { 'sec-fetch-site': '' }, 'cross-site'],
    [
      'two values',
      [
        ['sec-fetch-site', 'same-origin'],
        ['sec-fetch-site', 'none'],
      ],
      'cross-site',
    ],
    ['another origin', { origin: 'https://evil.example' }, 'origin'],
    ['an opaque origin', { origin: 'null' }, 'origin'],
    ['an empty origin', { origin: '' }, 'origin'],
    ['our host with another scheme', { origin: 'http://example.com' }, 'origin'],
    ['our host with another port', { origin: 'https://example.com:8443' }, 'origin'],
    ['our host with its default port', { origin: 'https://example.com:443' }, 'origin'],
    ['our host in capitals', { origin: 'https://EXAMPLE.com' }, 'origin'],
    ['our host with a dot', { origin: 'https://example.com.' }, 'origin'],
    ['our origin with a slash', { origin: 'https://example.com/' }, 'origin'],
    ['a subdomain', { origin: 'https://a.example.com' }, 'origin'],
    ['a host that begins like ours', { origin: 'https://example.com.evil.example' }, 'origin'],
    ['a host that ends like ours', { origin: 'https://evilexample.com' }, 'origin'],
    ['our host as user information', { origin: 'https://example.com@evil.example' }, 'origin'],
    [
      'two origins',
      [
        ['origin', origins[0]],
        ['origin', origins[0]],
      ],
      'origin',
    ],
  ])('is refused: %s', async (_what, headers, reason) => {
    expect(await judge(check, headers)).toEqual(refused(reason))
  })
})

describe('a CSRF token', () => {
  test('is good for its session and for no other', () => {
    const token = check.createToken('se_1')
    expect(check.verifyToken(token, 'se_1')).toBe(true)
    expect(check.verifyToken(token, 'se_2')).toBe(false)
    expect(check.verifyToken(token, '')).toBe(false)
  })

  test('differs each time and does not reveal its session', () => {
    const [first, second] = [check.createToken('se_1'), check.createToken('se_1')]
    expect(first).not.toBe(second)
    expect(first).toMatch(/^older\.[\w-]{22}\.[\w-]{43}$/)
  })

  test('lives through a rotation until its secret is dropped', () => {
    const token = check.createToken('se_1')
    const rotated = createForgeryCheck({ origins, secrets: [newer, older] })
    expect(rotated.verifyToken(token, 'se_1')).toBe(true)
    expect(rotated.createToken('se_1')).toMatch(/^newer\./)
    expect(createForgeryCheck({ origins, secrets: [newer] }).verifyToken(token, 'se_1')).toBe(false)
  })

  test('is refused if another secret has the same id', () => {
    const impostor = createForgeryCheck({ origins, secrets: [{ ...newer, id: 'older' }] })
    expect(check.verifyToken(impostor.createToken('se_1'), 'se_1')).toBe(false)
  })

  test('is refused when any character of it is altered, lost or added', () => {
    const token = check.createToken('se_1')
    for (let index = 0; index < token.length; index++) {
      const other = token[index] === 'A' ? 'B' : 'A'
      expect(check.verifyToken(`${token.slice(0, index)}${other}${token.slice(index + 1)}`, 'se_1')).toBe(false)
      expect(check.verifyToken(token.slice(0, index), 'se_1')).toBe(false)
    }
    for (const text of [`${token}A`, ` ${token}`, `${token}\n`, `${token}=`, `${token}, ${token}`]) {
      expect(check.verifyToken(text, 'se_1')).toBe(false)
    }
  })

  test.each([
    null,
    '',
    '.',
    '..',
    'older..',
    'older',
    '__proto__.AAAA.BBBB',
    `older.${'A'.repeat(22)}.${'B'.repeat(43)}`,
  ])('is not %j', (token) => {
    expect(check.verifyToken(token, 'se_1')).toBe(false)
  })

  test('is not any text, and no text is an error', () => {
    fc.assert(fc.property(fc.string(), (text) => !check.verifyToken(text, 'se_1')))
  })

  test('is not made without a session', () => {
    expect(() => check.createToken('')).toThrow(/^"sessionKey"/)
  })
})

describe('an option is refused by name', () => {
  test.each([
    ['nothing', []],
    ['no list', 'https://example.com'],
    ['a slash at the end', ['https://example.com/']],
    ['a path', ['https://example.com/app']],
    ['a default port', ['https://example.com:443']],
    ['capitals', ['https://Example.com']],
    ['a wildcard', ['https://*.example.com']],
    ['null', ['null']],
    ['no scheme', ['example.com']],
    ['another scheme', ['ftp://example.com']],
    ['the scheme of an application', ['capacitor://localhost']],
    ['user information', ['https://a@example.com']],
    ['a semicolon', ['https://example.com;']],
    ['a domain that is not in ASCII', ['https://exämple.com']],
    ['one bad beside a good one', ['https://example.com', 'https://example.org/']],
  ])('"origins" with %s', (_what, given) => {
    const options = { origins: given, secrets: [older] } as unknown as Options
    expect(() => createForgeryCheck(options)).toThrow(/^"origins"/)
    expect(() => createForgeryCheck(options)).toThrow(TypeError)
  })

  test('"secrets" that cannot be used', () => {
    expect(() => createForgeryCheck({ origins, secrets: [{ id: 'a', bytes: new Uint8Array(8) }] })).toThrow(
      /^"secrets"/,
    )
  })
})
