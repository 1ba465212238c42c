import { once } from 'node:events'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createHostCheck, createHttpHandler, fromFetchRequest, type HostCheck, type HttpRequest } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange, ok, serve } from './raw-client.ts'

type Options = Parameters<typeof createHostCheck>[0]
type Verdict = ReturnType<HostCheck['check']>

type Named = { host?: string; authority?: string; peer?: string; forwarded?: string }

function check(options: Options, { host, authority, peer, forwarded }: Named): Verdict {
  const sent = Object.entries({ host, 'x-forwarded-host': forwarded })
  const headers = new Map(sent.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
  const request: Parameters<ReturnType<typeof createHostCheck>['check']>[0] = {
    headers,
    peerAddress: peer ?? '192.0.2.1',
    ...(authority !== undefined && { authority }),
  }
  return createHostCheck(options).check(request)
}

const outcome = (verdict: Verdict): string => (verdict.ok ? 'served' : verdict.reason)
const hosts = [
  'https://example.com',
  'http://127.0.0.1:4000',
  'https://[2001:db8::1]',
  'https://odd.example:80',
  'inner',
  'LOCALHOST:8080',
  'mail.example.:443',
] as const

describe('a host is compared without regard to its spelling', () => {
  test.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com'],
    ['example.com.', 'example.com'],
    ['example.com:443', 'example.com:443'],
    ['Example.Com.:0443', 'example.com:443'],
    ['example.com:', 'example.com'],
    ['127.0.0.1:4000', '127.0.0.1:4000'],
    ['[2001:db8::1]', '[2001:db8::1]'],
    ['[2001:DB8:0:0:0:0:0:1]:443', '[2001:db8::1]:443'],
    ['[::ffff:127.0.0.1]:4000', '127.0.0.1:4000'],
    ['odd.example:80', 'odd.example:80'],
    ['inner', 'inner'],
    ['inner:80', 'inner:80'],
    ['inner:443', 'inner:443'],
    ['localhost:8080', 'localhost:8080'],
    ['mail.example', 'mail.example'],
  ])('%s is served', (host, canonical) => {
    expect(check({ hosts }, { host })).toEqual({ ok: true, host: canonical })
  })
})

describe('another host is misdirected', () => {
  test.each([
    ['evil.example', 'evil.example'],
    ['example.com:80', 'example.com:80'],
    ['example.com:8443', 'example.com:8443'],
    ['www.example.com', 'www.example.com'],
    ['example.com.evil.example', 'example.com.evil.example'],
    ['xexample.com', 'xexample.com'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1:4001', '127.0.0.1:4001'],
    ['127.1:4000', '127.1:4000'],
    ['0177.0.0.1:4000', '0177.0.0.1:4000'],
    ['2130706433:4000', '2130706433:4000'],
    ['localhost', 'localhost'],
    ['[::1]:4000', '[::1]:4000'],
    ['[2001:db8::2]', '[2001:db8::2]'],
    ['odd.example', 'odd.example'],
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
  ])('%s', (host, canonical) => {
    expect(check({ hosts }, { host })).toEqual({ ok: false, reason: 'misdirected', host: canonical })
  })
})

describe('a request without a host, or with two, is malformed', () => {
  test.each([
    undefined,
    '',
    ' ',
    'example.com, example.com',
    'example.com,evil.example',
    'example.com evil.example',
    'user@example.com',
    'https://example.com',
    'example.com/',
    'example.com?x',
    'example.com#x',
    'example.com\\x',
    'example.com..',
    '.example.com',
    'example..com',
    '.',
    'exa%6dple.com',
    'bücher.example',
    'example.com:x',
    'example.com:4 3',
    'example.com:-1',
    'example.com:65536',
    'example.com:443:443',
    '::1',
    '[::1',
    '[127.0.0.1]:4000',
    '[fe80::1%25eth0]',
    '[]',
    '*',
    'example.com\u0000',
    `${'a.'.repeat(200)}com`,
  ])('%j', (host) => {
    expect(check({ hosts }, host === undefined ? {} : { host })).toEqual({ ok: false, reason: 'malformed' })
  })

  test('any text gets a verdict, in time linear in its length', () => {
    const one = createHostCheck({ hosts: ['example.com'] })
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.webAuthority(), fc.domain()), (host) => {
        const verdict = one.check({ headers: new Map([['host', host]]), peerAddress: null })
        if (verdict.ok) expect(host.toLowerCase()).toMatch(/^example\.com\.?(?::0*(?:80|443)?)?$/)
      }),
    )
    const start = performance.now()
    for (const piece of ['a', 'a.', '.', '[', ':', '-', '1']) check({ hosts }, { host: piece.repeat(100_000) })
    expect(performance.now() - start).toBeLessThan(200)
  })
})

describe('the authority of the target', () => {
  test.each([
    ['counts in place of Host', { authority: 'example.com', host: 'evil.example' }, 'served'],
    ['counts without Host', { authority: 'example.com' }, 'served'],
    [
      'of another host is misdirected, whatever Host says',
      { authority: 'evil.example', host: 'example.com' },
      'misdirected',
    ],
    ['with a user is malformed', { authority: 'example.com@evil.example', host: 'example.com' }, 'malformed'],
    ['that is empty is malformed', { authority: '', host: 'example.com' }, 'malformed'],
    [
      'does not help where Host was sent twice',
      { authority: 'example.com', host: 'example.com, example.com' },
      'malformed',
    ],
  ])('%s', (_what, named, expected) => {
    expect(outcome(check({ hosts }, named))).toBe(expected)
  })
})

describe('X-Forwarded-Host', () => {
  const proxied: Options = {
    hosts: ['https://example.com'],
    trustedProxies: ['10.0.0.0/8', '::1'],
  }

  test.each([
    ['from a listed proxy counts in place of Host', '10.1.2.3', 'example.com', '10.9.9.9:4000', 'served'],
    [
      'from a listed proxy counts, an IPv4 peer on a dual-stack socket',
      '::ffff:10.1.2.3',
      'example.com',
      'upstream',
      'served',
    ],
    [
      'from a listed proxy that names another host is misdirected',
      '10.1.2.3',
      'evil.example',
      'example.com',
      'misdirected',
    ],
    [
      'counts by its last host, which the nearest proxy wrote',
      '::1',
      'evil.example, example.com',
      'upstream',
      'served',
    ],
    [
      'counts beyond the addresses of proxies, which the nearer ones were asked by',
      '::1',
      'example.com, 10.0.0.7:4000, [::1]',
      'upstream',
      'served',
    ],
    [
      'counts by the last host that is no proxy, whatever stands before it',
      '10.1.2.3',
      'example.com, evil.example, 10.0.0.7',
      'upstream',
      'misdirected',
    ],
    ['with proxies alone is misdirected', '10.1.2.3', '10.0.0.7, 10.0.0.8', 'example.com', 'misdirected'],
    ['does not count beyond an address that is no proxy', '::1', 'example.com, 192.0.2.7', 'upstream', 'misdirected'],
    ['does not count beyond the name of a proxy', '::1', 'example.com, upstream', 'upstream', 'misdirected'],
    ['does not count beyond what is no host', '::1', 'example.com, /, 10.0.0.7', 'upstream', 'malformed'],
    ['does not count beyond an empty host', '::1', 'example.com, ', 'upstream', 'malformed'],
    ['does not count by the hosts before the last', '::1', 'example.com, evil.example', 'example.com', 'misdirected'],
    ['that is not a host is malformed', '::1', 'example.com/', 'example.com', 'malformed'],
    ['that is empty is malformed', '::1', '', 'example.com', 'malformed'],
    ['from another peer is ignored', '192.0.2.1', 'example.com', 'evil.example', 'misdirected'],
    ['from another peer does not refuse a request', '192.0.2.1', 'evil.example', 'example.com', 'served'],
    ['does not help where Host was sent twice', '::1', 'example.com', 'example.com, example.com', 'malformed'],
  ])('%s', (_what, peer, forwarded, host, expected) => {
    expect(outcome(check(proxied, { peer, forwarded, host }))).toBe(expected)
  })

  test('is ignored without a listed proxy, and replaced by Host if the proxy does not send it', () => {
    const forwarded = 'example.com'
    expect(outcome(check({ hosts }, { peer: '::1', forwarded, host: 'evil.example' }))).toBe('misdirected')
    expect(outcome(check(proxied, { peer: '::1', host: 'example.com' }))).toBe('served')
    expect(outcome(check(proxied, { peer: '::1', host: 'evil.example' }))).toBe('misdirected')
  })
})

describe('on Node.js', () => {
  const handler = () => {
    const one = createHostCheck({ hosts: ['example.com'] })
    return createHttpHandler(async (request) => ok(outcome(one.check(request))))
  }
  const ask = async (...head: readonly string[]): Promise<string> => {
    const port = await serve(toNodeListener(handler()))
    const text = await exchange(port, [...head, 'Connection: close', '', ''].join('\r\n'))
    return text.split('\r\n\r\n')[1] ?? ''
  }

  test.each([
    ['Host', ['GET / HTTP/1.1', 'Host: example.com'], 'served'],
    ['a foreign Host', ['GET / HTTP/1.1', 'Host: evil.example'], 'misdirected'],
    ['an empty Host', ['GET / HTTP/1.1', 'Host:'], 'malformed'],
    ['Host sent twice', ['GET / HTTP/1.1', 'Host: example.com', 'host: example.com'], 'malformed'],
    ['a foreign Host after ours', ['GET / HTTP/1.1', 'Host: example.com', 'Host: evil.example'], 'malformed'],
    ['HTTP/1.0 without Host', ['GET / HTTP/1.0'], 'malformed'],
    ['HTTP/1.0 with Host', ['GET / HTTP/1.0', 'Host: example.com'], 'served'],
    ['the absolute form', ['GET http://example.com/ HTTP/1.1', 'Host: evil.example'], 'served'],
    ['the absolute form without Host', ['GET http://example.com/ HTTP/1.0'], 'served'],
    ['the absolute form of a foreign host', ['GET http://evil.example/ HTTP/1.1', 'Host: example.com'], 'misdirected'],
    ['the absolute form in capitals', ['GET HTTP://EXAMPLE.COM HTTP/1.1', 'Host: example.com'], 'served'],
    ['the absolute form and two Hosts', ['GET http://example.com/ HTTP/1.1', 'Host: a', 'Host: a'], 'malformed'],
    [
      'a user in the absolute form',
      ['GET http://example.com@evil.example/ HTTP/1.1', 'Host: example.com'],
      'malformed',
    ],
    ['a path that looks like a host', ['GET //evil.example/ HTTP/1.1', 'Host: example.com'], 'served'],
  ])('%s', async (_what, head, expected) => {
    expect(await ask(...head)).toBe(expected)
  })

  test.each([
    ['its authority', { ':authority': 'example.com' }, 'served'],
    ['a foreign authority', { ':authority': 'evil.example' }, 'misdirected'],
    ['the same Host beside it', { ':authority': 'example.com', host: 'EXAMPLE.com' }, 'served'],
    ['another Host beside it', { ':authority': 'example.com', host: 'evil.example' }, 'malformed'],
  ])('over HTTP/2, %s', async (_what, headers, expected) => {
    const server = createHttp2Server()
    const listener = toNodeListener(handler()) as unknown as (request: unknown, response: unknown) => void
    server.on('request', (request, response) => listener(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    onTestFinished(() => {
      client.destroy()
      server.close()
    })
    let text = ''
    const stream = client.request({ ':path': '/', ...headers }).setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      text += chunk
    })
    await once(stream.end(), 'end')
    expect(text).toBe(expected)
  })
})

describe('on Fetch', () => {
  const request = (url: string, host?: string): HttpRequest =>
    fromFetchRequest(new Request(url, host === undefined ? {} : { headers: { host } }))

  test.each([
    ['the host of the URL counts', 'https://example.com/', undefined, 'served'],
    ['a foreign host of the URL is misdirected', 'https://evil.example/', undefined, 'misdirected'],
    ['Host counts where the platform hands it over', 'http://localhost:3000/', 'example.com', 'served'],
    ['a foreign Host is misdirected, whatever the URL says', 'https://example.com/', 'evil.example', 'misdirected'],
    ['two Hosts are malformed', 'https://example.com/', 'example.com, example.com', 'malformed'],
  ])('%s', (_what, url, host, expected) => {
    expect(outcome(createHostCheck({ hosts: ['example.com'] }).check(request(url, host)))).toBe(expected)
  })
})

test.each([
  ['"hosts" must hold at least one', {}],
  ['"hosts" must hold at least one', { hosts: [] }],
  ['"hosts" must hold at least one', { hosts: 'example.com' }],
  ['"hosts": each is', { hosts: [''] }],
  ['"hosts": each is', { hosts: ['*'] }],
  ['"hosts": each is', { hosts: ['*.example.com'] }],
  ['"hosts": each is', { hosts: ['example.com', 'https://example.com/'] }],
  ['"hosts": each is', { hosts: ['ftp://example.com'] }],
  ['"hosts": each is', { hosts: ['example.com, example.org'] }],
  ['"hosts": each is', { hosts: ['bücher.example'] }],
  ['"hosts": each is', { hosts: [443] }],
  ['"trustedProxies": each is', { hosts: ['example.com'], trustedProxies: ['loopback'] }],
  ['createHostCheck has no option "host". Did you mean "hosts"?', { host: ['example.com'] }],
  ['createHostCheck takes an object with', null],
])('createHostCheck throws for a wrong option: %s, %j', (message, options) => {
  const make = () => createHostCheck(options as never)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})
