import { generateKeyPairSync, sign } from 'node:crypto'
import { createJwtVerifier, createKeyRing, importJwtKey, type JwtRefusal, type JwtVerifier } from '@latchkey/jwt'
import { medianCpuMilliseconds } from '@latchkey/test-services'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  audience,
  claims,
  createHmacVerifier,
  encode,
  forge,
  header,
  hmac,
  issuer,
  now,
  type Part,
  seconds,
  secret,
} from './forge-token.ts'

let verifier: JwtVerifier
const good = forge()
const [h, p, s] = good.split('.') as [string, string, string]
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()

beforeAll(async () => {
  verifier = await createHmacVerifier()
})

async function expectRefusal(token: string, reason: JwtRefusal): Promise<void> {
  expect(await verifier.verify(token)).toEqual({ ok: false, reason })
}

/** Signs what is sent, so that only its encoding is refused. */
function signed(signingInput: string): string {
  return `${signingInput}.${hmac(signingInput)}`
}

test('the token that the tables alter is valid', async () => {
  expect(await verifier.verify(good)).toEqual({ ok: true, claims })
})

test('a missing token is refused as missing', async () => {
  expect(await verifier.verify(null)).toEqual({ ok: false, reason: 'missing' })
  expect(await verifier.verify(undefined as unknown as null)).toEqual({ ok: false, reason: 'missing' })
})

describe('a token without a signature is refused', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', 'none ', ' none', '', 'null'])('if its alg is %j', async (alg) => {
    await expectRefusal(`${encode({ ...header, alg })}.${p}.`, 'malformed')
    await expectRefusal(`${encode({ ...header, alg })}.${p}`, 'malformed')
    await expectRefusal(`${encode({ ...header, alg })}.${p}.${s}`, 'algorithm')
    await expectRefusal(forge({ ...header, alg }), 'algorithm')
  })

  test('if it would otherwise be valid', () => expectRefusal(`${h}.${p}.`, 'malformed'))
})

describe('an algorithm is refused', () => {
  test.each<[string, unknown]>([
    ['in another case', 'hs256'],
    ['of another hash', 'HS512'],
    ['that is not pinned', 'RS256'],
    ['that is a number', 256],
    ['that is null', null],
    ['in a list', ['HS256']],
    ['in an object', { toString: 'HS256' }],
    ['named as a member of every object', '__proto__'],
    ['named as a method of every object', 'constructor'],
  ])('%s', async (_what, alg) => {
    await expectRefusal(forge({ ...header, alg }), 'algorithm')
  })

  test('if it is absent', () => expectRefusal(forge({ typ: 'JWT', kid: 'hmac' }), 'algorithm'))
})

describe('a public RSA key as HMAC secret', () => {
  const secrets = [
    pem,
    pem.trim(),
    rsa.publicKey.export({ type: 'spki', format: 'der' }),
    JSON.stringify(rsa.publicKey.export({ format: 'jwk' })),
  ]
  const forged = secrets.map((one) => forge({ alg: 'HS256', typ: 'JWT', kid: 'rsa' }, claims, Buffer.from(one)))
  const jwk = rsa.publicKey.export({ format: 'jwk' })

  test.each(forged.map((token, index) => [index, token] as const))(
    'makes no valid signature if RS256 is pinned (%d)',
    async (_index, token) => {
      const keys = { find: async () => importJwtKey({ id: 'rsa', algorithm: 'RS256', jwk }) }
      const rsaVerifier = createJwtVerifier({ issuer, audience, algorithms: ['RS256'], keys, now })
      expect(await rsaVerifier.verify(token)).toEqual({ ok: false, reason: 'algorithm' })
    },
  )

  test.each(forged.map((token, index) => [index, token] as const))(
    'makes no valid signature if RS256 and HS256 are pinned (%d)',
    async (_index, token) => {
      const publicKey = await importJwtKey({ id: 'rsa', algorithm: 'RS256', jwk })
      const careless = { find: async () => publicKey }
      const both = createJwtVerifier({ issuer, audience, algorithms: ['RS256', 'HS256'], keys: careless, now })
      expect(await both.verify(token)).toEqual({ ok: false, reason: 'algorithm' })
      const hmacKey = await importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes: secret })
      const ring = createKeyRing({ keys: [hmacKey, publicKey] })
      const careful = createJwtVerifier({ issuer, audience, algorithms: ['RS256', 'HS256'], keys: ring, now })
      expect(await careful.verify(token)).toEqual({ ok: false, reason: 'key' })
    },
  )
})

describe('a kid is only ever looked up', () => {
  test.each([
    ['of no key', 'other'],
    ['that is empty', ''],
    ['that is a member of every object', '__proto__'],
    ['that is a method of every object', 'hasOwnProperty'],
    ['that is a path', '../../../../dev/null'],
    ['that is a query', "x' UNION SELECT 'secret"],
    ['that is an address', 'https://evil.example/key'],
    ['in another case', 'HMAC'],
    ['with a NUL', 'hmac\0'],
    ['with white space', 'hmac '],
  ])('%s', async (_what, kid) => {
    await expectRefusal(forge({ ...header, kid }), 'key')
    await expectRefusal(forge({ ...header, kid }, claims, new Uint8Array(32)), 'key')
  })

  test.each<[unknown]>([[1], [null], [['hmac']], [{ kid: 'hmac' }], [true]])('%j is malformed', async (kid) => {
    await expectRefusal(forge({ ...header, kid }), 'malformed')
  })

  test('may be absent if there is a single key', async () => {
    expect((await verifier.verify(forge({ alg: 'HS256', typ: 'JWT' }))).ok).toBe(true)
  })
})

describe('keys and addresses in a header are never used', () => {
  const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = attacker.publicKey.export({ format: 'jwk' })

  test.each<[string, object]>([
    ['jwk', { jwk }],
    ['jku', { jku: 'https://evil.example/jwks' }],
    ['x5u', { x5u: 'https://evil.example/cert.pem' }],
    ['x5c', { x5c: [attacker.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] }],
    ['x5t', { x5t: 'AAAA', 'x5t#S256': 'AAAA' }],
  ])('%s', async (_what, members) => {
    const embedded = { alg: 'RS256', typ: 'JWT', ...members }
    const signingInput = `${encode(embedded)}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(signingInput), attacker.privateKey).toString('base64url')
    const key = await importJwtKey({ id: 'rsa', algorithm: 'RS256', jwk: rsa.publicKey.export({ format: 'jwk' }) })
    const keys = { find: async () => key }
    const rsaVerifier = createJwtVerifier({ issuer, audience, algorithms: ['RS256'], keys, now })
    expect(await rsaVerifier.verify(`${signingInput}.${signature}`)).toEqual({ ok: false, reason: 'signature' })
    const oct = { jwk: { kty: 'oct', k: Buffer.from('attacker'.repeat(4)).toString('base64url') } }
    await expectRefusal(forge({ ...header, ...oct }, claims, Buffer.from('attacker'.repeat(4))), 'signature')
  })
})

describe('an extension is refused, known or not', () => {
  test.each<[string, object]>([
    ['crit of an unknown one', { crit: ['exp'], exp: 1 }],
    ['crit of b64', { crit: ['b64'], b64: false }],
    ['an empty crit', { crit: [] }],
    ['crit that is null', { crit: null }],
    ['b64 that is false', { b64: false }],
    ['b64 that is true', { b64: true }],
    ['zip', { zip: 'DEF' }],
  ])('%s', async (_what, members) => {
    await expectRefusal(forge({ ...header, ...members }), 'unsupported')
  })
})

describe('another form than the compact one is malformed', () => {
  const flattened = JSON.stringify({ protected: h, payload: p, signature: s })
  const general = JSON.stringify({ payload: p, signatures: [{ protected: h, signature: s }] })
  test.each([
    ['an empty text', ''],
    ['one part', h],
    ['two parts', `${h}.${p}`],
    ['four parts', `${good}.${s}`],
    ['five parts, as of an encrypted token', `${h}.${p}.${s}.${p}.${s}`],
    ['an empty header', `.${p}.${s}`],
    ['an empty payload', `${h}..${s}`],
    ['a detached payload', signed(`${h}.`)],
    ['three dots', '...'],
    ['the flattened JSON form', flattened],
    ['the general JSON form', general],
    ['with its scheme', `Bearer ${good}`],
    ['in quotes', `"${good}"`],
    ['two of them', `${good},${good}`],
  ])('%s', async (_what, token) => {
    await expectRefusal(token, 'malformed')
  })

  test.each([1, {}, [], true, Symbol('token'), [good], { toString: () => good }])('%j', async (token) => {
    await expectRefusal(token as string, 'malformed')
  })
})

describe('a second spelling of the same bytes is malformed', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const trailing = `${s.slice(0, -1)}${alphabet[alphabet.indexOf(s.slice(-1)) + 1]}`

  test('the altered last character decodes to the same bytes', () => {
    expect(trailing).not.toBe(s)
    expect(Buffer.from(trailing, 'base64url')).toEqual(Buffer.from(s, 'base64url'))
  })

  test.each([
    ['padding in the signature', `${good}=`],
    ['padding in the header', signed(`${h}=.${p}`)],
    ['padding in the payload', signed(`${h}.${p}==`)],
    ['white space before', ` ${good}`],
    ['a line break after', `${good}\n`],
    ['white space inside', `${h}.${p.slice(0, 4)} ${p.slice(4)}.${s}`],
    ['a NUL after', `${good}\0`],
    ['the other alphabet', `${h}.${p}.${s.replace(/[-_A]/, '+')}`],
    ['set bits after the last byte', `${h}.${p}.${trailing}`],
    [
      'characters beyond ASCII with the same low byte',
      `${h}.${p}.${String.fromCharCode(s.charCodeAt(0) + 256)}${s.slice(1)}`,
    ],
    ['a full-width dot', `${h}．${p}．${s}`],
    ['a surrogate', `${h}.${p}.${s}\ud800`],
  ])('%s', async (_what, token) => {
    expect((await verifier.verify(good)).ok).toBe(true) // now it is remembered
    await expectRefusal(token, 'malformed')
  })
})

describe('a token that is too long is malformed before it is decoded', () => {
  const filled = (length: number) => forge(header, { ...claims, note: 'x'.repeat(length) })
  const longest = filled(5800)

  test('beyond 8192 characters', async () => {
    let token = longest
    for (let size = 5800; token.length <= 8192; size++) token = filled(size)
    expect(token.length).toBeLessThan(8200)
    await expectRefusal(token, 'malformed')
    expect((await verifier.verify(longest)).ok).toBe(true)
  })

  test.each([
    ['50 MB of one segment', `${'A'.repeat(50_000_000)}.${p}.${s}`],
    ['50 MB of a payload', `${h}.${'A'.repeat(50_000_000)}.${s}`],
    ['50 MB of dots', '.'.repeat(50_000_000)],
    ['8192 dots, which may be read', '.'.repeat(8192)],
  ])('however long: %s, in under 10 ms', async (_what, token) => {
    await expectRefusal('.', 'malformed')
    expect(await medianCpuMilliseconds(() => expectRefusal(token, 'malformed'))).toBeLessThan(10)
  })
})

describe('JSON that two parsers could read differently is malformed', () => {
  const json = JSON.stringify(claims)
  const withMember = (member: string) => `${json.slice(0, -1)},${member}}`
  test.each<[string, Part]>([
    ['a claim twice', withMember('"sub":"acc_2"')],
    ['a claim twice, with white space', withMember('"sub" \n:"acc_2"')],
    ['a claim twice, beside a member with white space', withMember('"a" :1,"sub":"acc_1"')],
    ['a claim twice, beside a text that begins with a colon', withMember('"a":":","sub":"acc_1"')],
    ['a member of a member in a list twice', withMember('"a":["b",{"c":1,"c":1}]')],
    ['a claim twice, once escaped', withMember(String.raw`"su\u0062":"acc_2"`)],
    ['a claim twice with one value', withMember('"sub":"acc_1"')],
    ['a member of a member twice', withMember('"a":{"b":[{"c":1,"d":{},"c":2}]}')],
    ['an escaped quote in a name, twice', withMember(String.raw`"\"":1,"\"":2`)],
    ['__proto__', withMember('"__proto__":{"role":"ADMIN"}')],
    ['__proto__, escaped', withMember(String.raw`"__pr\u006fto__":{"role":"ADMIN"}`)],
    ['__proto__ deeper', withMember('"a":{"__proto__":null}')],
    ['a byte order mark', `\ufeff${json}`],
    ['a list', [claims]],
    ['a text', '"claims"'],
    ['a number', '1'],
    ['null', 'null'],
    ['nothing', ' '],
    ['two objects', `${json}${json}`],
    ['a comment', `${json}//`],
    ['single quotes', json.replaceAll('"', "'")],
    ['a trailing comma', withMember('')],
    ['NaN', withMember('"n":NaN')],
    ['no end', json.slice(0, -1)],
    ['a NUL after the end', `${json}\0`],
  ])('%s', async (_what, payload) => {
    await expectRefusal(forge(header, payload), 'malformed')
  })

  test.each([
    ['alg twice', '{"alg":"none","alg":"HS256","typ":"JWT","kid":"hmac"}'],
    ['alg twice, once escaped', String.raw`{"alg":"HS256","\u0061lg":"HS256","typ":"JWT","kid":"hmac"}`],
    ['kid twice', '{"alg":"HS256","typ":"JWT","kid":"hmac","kid":"hmac"}'],
    ['__proto__', '{"alg":"HS256","typ":"JWT","kid":"hmac","__proto__":{"alg":"none"}}'],
    ['a list', '[{"alg":"HS256"}]'],
    ['no JSON', '{alg:HS256}'],
  ])('%s in the header', async (_what, text) => {
    await expectRefusal(forge(text), 'malformed')
  })

  test('bytes that are not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${json.slice(0, -1)},"a":"`),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ])
    await expectRefusal(signed(`${h}.${bytes.toString('base64url')}`), 'malformed')
  })

  test.each([
    ['white space', JSON.stringify(claims, null, 2)],
    ['the same name in different objects', withMember('"a":{"sub":1},"b":[{"sub":2},{"sub":3}]')],
    ['names in values', withMember(String.raw`"a":"\"sub\":1,\"sub\":{","b":"}"`)],
    ['the name of a prototype in a value', withMember('"a": "__proto__"')],
    ['names that look like numbers', withMember('"2":1,"1":2')],
    ['another spelling of numbers', json.replace(String(seconds), `${seconds / 1e8}e8`)],
  ])('unless it is unambiguous: %s is valid', async (_what, payload) => {
    expect((await verifier.verify(forge(header, payload))).ok).toBe(true)
  })

  test('nesting as deep as fits gets a verdict', async () => {
    const deep = `${'['.repeat(2900)}${']'.repeat(2900)}`
    expect((await verifier.verify(forge(header, withMember(`"a":${deep}`)))).ok).toBe(true)
    expect((await verifier.verify(forge(`{"alg":"HS256","typ":"JWT","kid":"hmac","a":${deep}}`, '{}'))).ok).toBe(false)
    await expectRefusal(forge(header, '[{"a":'.repeat(900)), 'malformed')
  })
})
