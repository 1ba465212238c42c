import { allowPlainHttpOnLoopback, createSessionCookie } from '@latchkey/http'
import { isProduction } from '@latchkey/http/internal'
import { medianCpuMilliseconds } from '@latchkey/test-services'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'

const cookie = createSessionCookie()
const credential = 'se_AAAAAAAAAAAAAAAAAAAAAA.BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a session cookie is written', () => {
  test('with every attribute', () => {
    expect(cookie.write(credential)).toBe(
      `__Host-session=${credential}; Max-Age=28800; Path=/; HttpOnly; Secure; SameSite=Lax`,
    )
  })

  test('without Max-Age when it should end with the browser', () => {
    expect(cookie.write(credential, { persistent: false })).toBe(
      `__Host-session=${credential}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    )
  })

  test('empty and expired to end it, with the attributes that let a browser find it', () => {
    expect(cookie.clear()).toBe('__Host-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax')
  })

  test('under another name, age and SameSite', () => {
    const refresh = createSessionCookie({ name: '__Host-Http-refresh', maxAgeSeconds: 2_592_000, sameSite: 'Strict' })
    expect(refresh.write('rt')).toBe(
      '__Host-Http-refresh=rt; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Strict',
    )
  })

  test('without prefix and Secure when plain http is allowed', () => {
    const plain = createSessionCookie({ transport: allowPlainHttpOnLoopback })
    expect(plain.write('se')).toBe('latchkey-session=se; Max-Age=28800; Path=/; HttpOnly; SameSite=Lax')
    expect(plain.read('latchkey-session=se')).toBe('se')
    expect(plain.read('__Host-session=se')).toBeNull()
    expect(createSessionCookie({ transport: allowPlainHttpOnLoopback, name: 'app-refresh' }).name).toBe('app-refresh')
  })

  test.each([
    ['nothing', ''],
    ['a semicolon', 'a; Domain=evil.example'],
    ['a line break', 'a\r\nSet-Cookie: b=c'],
    ['a space', 'a b'],
    ['a quote', '"a"'],
    ['a comma', 'a,b'],
    ['a backslash', 'a\\b'],
    ['a NUL', 'a\0'],
    ['a letter beyond ASCII', 'ä'],
    ['more than browsers keep', 'a'.repeat(4090)],
  ])('never with %s', (_what, text) => {
    expect(() => cookie.write(text)).toThrow(TypeError)
    try {
      cookie.write(text)
    } catch (error) {
      if (text) expect(String(error)).not.toContain(text)
    }
  })
})

test('a value other than a text is never written', () => {
  expect(() => cookie.write(undefined as unknown as string)).toThrow(TypeError)
})

describe('a session cookie is read', () => {
  test.each([
    ['alone', `__Host-session=${credential}`],
    ['among others', `theme=dark; __Host-session=${credential}; lang=en`],
    ['beside names that contain its own', `x__Host-session=a; __Host-session=${credential}; __Host-session2=b`],
    ['where the separator has no space', `theme=dark;__Host-session=${credential};lang=en`],
    ['beside broken pairs', `; =; x; __Host-session=${credential};`],
  ])('%s', (_what, header) => {
    expect(cookie.read(header)).toBe(credential)
    expect(cookie.isSent(header)).toBe(true)
  })

  test.each([
    ['two of them', '__Host-session=a; __Host-session=b'],
    ['the same one twice', '__Host-session=a; __Host-session=a'],
    ['odd case', '__host-Session=a'],
    ['odd case beside the right one', '__HOST-SESSION=a; __Host-session=b'],
    ['the right one before odd case', '__Host-session=b; __HOST-SESSION=a'],
    ['a quoted name', '"__Host-session"=a'],
    ['half a quoted name', '"__Host-session=a'],
    ['a name padded with spaces before', 'a=1;  __Host-session=a'],
    ['a name padded at the very start', ' __Host-session=a'],
    ['a name padded with a space behind', '__Host-session =a'],
    ['a name padded with a tab', 'a=1;\t__Host-session=a'],
    ['a name padded with a no-break space', 'a=1; \u00a0__Host-session=a'],
    ['a name padded with a wide space', '\u2000__Host-session=a'],
    ['a name padded with the bytes of a wide space', '\u00e2\u0080\u0080__Host-session=a'],
    ['a name padded with a next-line character', '\u0085__Host-session=a'],
    ['a padded one beside the right one', '__Host-session=b; \u2000__Host-session=a'],
    ['a quoted value', '__Host-session="a"'],
    ['an empty value', '__Host-session='],
    ['a name without a value', '__Host-session'],
    ['a value with a space', '__Host-session=a b'],
    ['a value with a space at the end', '__Host-session=a ; b=c'],
    ['a value with a comma', '__Host-session=a, b=c'],
    ['a value with a NUL', '__Host-session=a\0'],
    ['a value beyond ASCII', '__Host-session=ä'],
    ['two that a comma joins', '__Host-session=a,__Host-session=b'],
    ['one inside the quotes of another', 'a="x; __Host-session=a; b="; __Host-session=b'],
  ])('as none when there is %s', (_what, header) => {
    expect(cookie.read(header)).toBeNull()
    expect(cookie.isSent(header)).toBe(true)
  })

  test.each([
    ['no header', null],
    ['no header either', undefined],
    ['an empty header', ''],
    ['another cookie', 'session=a'],
    ['a longer name', '__Host-session-id=a; my__Host-session=b'],
    ['the name as a value', 'a=__Host-session; b=__Host-session=c'],
    ['a percent-encoded name', '%5F%5FHost-session=a'],
    ['a name of Object.prototype', '__proto__=a; constructor=b'],
  ])('as none when there is %s', (_what, header) => {
    expect(cookie.read(header)).toBeNull()
    expect(cookie.isSent(header)).toBe(false)
  })

  test('as it was written, with any characters', () => {
    const octet = fc.constantFrom(...Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)))
    const values = fc.string({ unit: octet, minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(values, fc.string(), (value, others) => {
        fc.pre(!/[",;\\]/.test(value))
        const [pair] = cookie.write(value).split('; ')
        expect(cookie.read(pair)).toBe(value)
        const header = `a=${others.replaceAll(';', '')}; ${pair}`
        expect(cookie.read(header)).toBe(value)
      }),
    )
  })

  test('from any header without an error, and only as one exact pair', () => {
    const unit = fc.constantFrom('__Host-session', '__host-session', '=', ';', '; ', ' ', '"', ',', '\t', 'a', '\u2000')
    const bytes = fc.integer({ max: 255, min: 0 }).map((code) => String.fromCharCode(code))
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit, maxLength: 12 }), fc.string({ unit: bytes })), (header) => {
        const value = cookie.read(header)
        if (value === null) return
        const pairs = header.split(/; ?/)
        expect(pairs.filter((pair) => pair === `__Host-session=${value}`)).toHaveLength(1)
        expect(header.toLowerCase().match(/(?:^|;)[^=;]*__host-session[^=;]*/g)).toHaveLength(1)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([' ', ';', '=', '; __Host-session', '; __Host-session=', '; a=', ' ;', '"', '\t'])(
    'in linear time from a hostile header of %j: eight times as long, less than 24 times the cost',
    async (part) => {
      const costOf = (length: number) => {
        const header = part.repeat(length / part.length)
        return medianCpuMilliseconds(() => cookie.read(header))
      }
      await costOf(50_000)
      const [short, long] = [await costOf(50_000), await costOf(400_000)]
      // A quadratic one costs 64 times as much. What is over in a few milliseconds is too short to compare.
      expect(long).toBeLessThan(Math.max(24 * short, 24))
    },
  )
})

describe('an option is refused by name', () => {
  test.each<[string, Parameters<typeof createSessionCookie>[0]]>([
    ['name', { name: 'session' }],
    ['name', { name: '__Secure-session' }],
    ['name', { name: '__host-session' }],
    ['name', { name: '__Host-' }],
    ['name', { name: '__Host-a=b' }],
    ['name', { name: '__Host-a b' }],
    ['name', { name: '__Host-a;b' }],
    ['name', { name: '__Host-session', transport: allowPlainHttpOnLoopback }],
    ['name', { name: '__SECURE-session', transport: allowPlainHttpOnLoopback }],
    ['name', { name: '', transport: allowPlainHttpOnLoopback }],
    ['maxAgeSeconds', { maxAgeSeconds: 0 }],
    ['maxAgeSeconds', { maxAgeSeconds: 1.5 }],
    ['maxAgeSeconds', { maxAgeSeconds: 34_560_001 }],
    ['maxAgeSeconds', { maxAgeSeconds: Number.NaN }],
    ['sameSite', { sameSite: 'None' as 'Lax' }],
    ['sameSite', { sameSite: false as unknown as 'Lax' }],
    ['transport', { transport: Symbol('allowPlainHttpOnLoopback') as typeof allowPlainHttpOnLoopback }],
    ['transport', { transport: true as unknown as typeof allowPlainHttpOnLoopback }],
    ['transport', { transport: null as unknown as typeof allowPlainHttpOnLoopback }],
  ])('"%s" of %o', (option, options) => {
    expect(() => createSessionCookie(options)).toThrow(new RegExp(`^"${option}"`))
    expect(() => createSessionCookie(options)).toThrow(TypeError)
  })

  test.each(['production', 'Production', 'PRODUCTION', 'prod', ' production', 'staging', 'dev', 'null'])(
    'a plain cookie is refused with NODE_ENV=%s, because every unknown value is production',
    (name) => {
      vi.stubEnv('NODE_ENV', name)
      expect(isProduction()).toBe(true)
      expect(() => createSessionCookie({ transport: allowPlainHttpOnLoopback })).toThrow(/^"transport"/)
      expect(createSessionCookie().name).toBe('__Host-session')
    },
  )

  test.each(['development', 'test', '', undefined])('no plain cookie with NODE_ENV=%s', (name) => {
    vi.stubEnv('NODE_ENV', name)
    expect(isProduction()).toBe(false)
    expect(createSessionCookie({ transport: allowPlainHttpOnLoopback }).name).toBe('latchkey-session')
  })
})
