import { isIP } from 'node:net'
import { createAddressReader, type HttpRequest } from '@latchkey/http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

type Options = Parameters<typeof createAddressReader>[0]

function read(options: Options, peerAddress: string | null, headers: Record<string, string> = {}): string | null {
  const request: HttpRequest = {
    method: 'GET',
    target: '/',
    headers: new Map(Object.entries(headers)),
    cookies: new Map(),
    peerAddress,
    signal: AbortSignal.timeout(1_000),
    body: async () => '',
  }
  return createAddressReader(options).read(request)
}

const proxied: Options = {
  trustedProxies: ['10.0.0.0/8', '2001:db8:ffff::/48', '::1'],
}
const standard: Options = { ...proxied, header: 'forwarded' }

describe('without a listed proxy', () => {
  test.each([
    ['no proxy is listed', {}, '10.0.0.1'],
    ['the peer is not on the list', proxied, '192.0.2.1'],
  ])('headers do not change the address: %s', (_what, options, peer) => {
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'x-real-ip': '203.0.113.9',
      'cf-connecting-ip': '203.0.113.9',
      'true-client-ip': '203.0.113.9',
    }
    expect(read(options, peer, headers)).toBe(peer)
    expect(read({ ...options, header: 'forwarded' }, peer, headers)).toBe(peer)
  })

  test.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:201', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::', '::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4'],
    // Only after five groups of zeros is it IPv4: an address with the others must not look like a proxy.
    ['1::ffff:a00:1', '1::ffff:a00:1'],
    ['::1:0:ffff:a00:1', '::1:0:ffff:a00:1'],
  ])('the peer %s is read as %s', (peer, address) => {
    expect(read({}, peer)).toBe(address)
  })

  test.each([
    null,
    '',
    'unknown',
    '/run/app.sock',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '-1.2.3.4',
    '1.2.3.256',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8::',
    '1:2:3:4::5:6:7:8:9',
  ])('the peer %j has no address', (peer) => {
    expect(read({}, peer)).toBeNull()
  })
})

describe('X-Forwarded-For of a listed proxy', () => {
  test.each([
    ['names the client', '203.0.113.9', '203.0.113.9'],
    ['is read from its end', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['is read past other listed proxies', '198.51.100.1, 203.0.113.9, 10.2.3.4,10.5.6.7', '203.0.113.9'],
    ['ends at a claim to be a proxy that an unlisted one made', '10.9.9.9, 203.0.113.9', '203.0.113.9'],
    ['returns the farthest proxy when all are listed', '10.2.3.4, 10.5.6.7', '10.2.3.4'],
    ['may have ports', '203.0.113.9:4711', '203.0.113.9'],
    ['may have IPv6', '2001:db8::9', '2001:db8::9'],
    ['may have IPv6 in brackets', '[2001:db8::9]', '2001:db8::9'],
    ['may have IPv6 with a port', '[2001:DB8::9]:4711', '2001:db8::9'],
    ['may have IPv4-mapped IPv6', '::ffff:203.0.113.9', '203.0.113.9'],
    ['is read past proxies of any family', '203.0.113.9, 2001:db8:ffff:1::5, ::1, ::ffff:10.0.0.2', '203.0.113.9'],
    ['returns the proxy when it is empty', '', '10.0.0.1'],
    ['returns the proxy when it hides the client', 'unknown', '10.0.0.1'],
    ['returns the proxy when its last hop is garbage', '203.0.113.9, evil"\'<>', '10.0.0.1'],
    ['returns the nearest proxy that could be read', '203.0.113.9, unknown, 10.2.3.4', '10.2.3.4'],
    ['returns the proxy when there are two addresses in one hop', '203.0.113.9 198.51.100.1', '10.0.0.1'],
    ['returns the proxy when a hop is empty', '203.0.113.9,', '10.0.0.1'],
  ])('%s', (_what, value, address) => {
    expect(read(proxied, '10.0.0.1', { 'x-forwarded-for': value })).toBe(address)
    expect(read(proxied, '::ffff:10.0.0.1', { 'x-forwarded-for': value })).toBe(address)
  })

  test('is read alone: a Forwarded header that the proxy only passed on is ignored', () => {
    const headers = { forwarded: 'for=198.51.100.1', 'x-forwarded-for': '203.0.113.9' }
    expect(read(proxied, '10.0.0.1', headers)).toBe('203.0.113.9')
    expect(read(proxied, '10.0.0.1', { forwarded: 'for=198.51.100.1' })).toBe('10.0.0.1')
    expect(read(standard, '10.0.0.1', headers)).toBe('198.51.100.1')
    expect(read(standard, '10.0.0.1', { 'x-forwarded-for': '203.0.113.9' })).toBe('10.0.0.1')
  })
})

describe('Forwarded of a listed proxy', () => {
  test.each([
    // RFC 7239 §4 and §6, their examples with addresses of this list.
    ['names the client', 'for=203.0.113.9', '203.0.113.9'],
    ['has other parameters', 'For=203.0.113.9;proto=http;by=10.0.0.1', '203.0.113.9'],
    ['has quoted IPv6', 'for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['has white space', 'proto=https ; for=203.0.113.9 ', '203.0.113.9'],
    ['is read from its end', 'for=198.51.100.1, for=203.0.113.9', '203.0.113.9'],
    ['is read past listed proxies', 'for=203.0.113.9, for="10.2.3.4:80"', '203.0.113.9'],
    ['has a quoted comma', 'for=203.0.113.9;host="a,b"', '203.0.113.9'],
    ['hides the client', 'for=_hidden', '10.0.0.1'],
    ['does not know the client', 'for=unknown', '10.0.0.1'],
    ['has no client', 'proto=https', '10.0.0.1'],
    ['has two clients', 'for=203.0.113.9;for=198.51.100.1', '10.0.0.1'],
    ['is empty', '', '10.0.0.1'],
    ['opens a quote that the proxy’s hop falls into', 'for=198.51.100.1;x=", for=203.0.113.9', '10.0.0.1'],
    ['opens a quote that the proxy’s quote closes', 'for=198.51.100.1;x=", for="[2001:db8::9]"', '10.0.0.1'],
    ['has an escape', 'for="203.0.113\\.9"', '10.0.0.1'],
    ['has garbage behind', 'for=203.0.113.9 x', '10.0.0.1'],
    ['has garbage beside', 'for=203.0.113.9;x', '10.0.0.1'],
  ])('%s', (_what, value, address) => {
    expect(read(standard, '10.0.0.1', { forwarded: value })).toBe(address)
  })
})

describe('a range', () => {
  test.each([
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.128/25', '192.0.2.127', false],
    ['192.0.2.128/25', '192.0.2.129', true],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7/32', '192.0.2.6', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '192.0.2.1', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['::ffff:192.0.2.0/120', '192.0.2.9', true],
    ['::ffff:192.0.2.0/120', '192.0.3.9', false],
    ['192.0.2.0/24', '::ffff:192.0.2.9', true],
  ])('%s holds %s: %s', (range, peer, isTrusted) => {
    const address = read({ trustedProxies: [range] }, peer, { 'x-forwarded-for': '203.0.113.9' })
    expect(address === '203.0.113.9').toBe(isTrusted)
  })

  test.each([
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '2001:db8::/129',
    '10.0.0',
    '*',
    '::ffff:10.0.0.0/8',
    '1.2.3.4::',
    '1::2::3',
  ])('is not %j', (range) => {
    expect(() => createAddressReader({ trustedProxies: [range] })).toThrow(/^"trustedProxies"/)
  })

  test('"header" with another name is refused', () => {
    expect(() => createAddressReader({ header: 'x-real-ip' as 'forwarded' })).toThrow(/^"header"/)
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8::/64'],
  ['::1', '::/64'],
])('attempts from %s are counted under %s', (address, key) => {
  expect(createAddressReader().limitKey(address)).toBe(key)
})

test('an address is read when and as Node.js reads it, and any text without an error', () => {
  const unit = fc.constantFrom('1', '255', '256', '0', '.', ':', '::', 'f', 'ffff', '/', ' ', '[')
  const texts = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ unit, maxLength: 16 }), fc.string())
  fc.assert(
    fc.property(texts, (text) => {
      const address = read({}, text)
      expect(address !== null).toBe(isIP(text) > 0)
      if (address?.includes(':')) expect(address).toBe(new URL(`http://[${text}]`).hostname.slice(1, -1))
    }),
    { numRuns: 1_000 },
  )
})
