import dns from 'node:dns'
import { gzipSync } from 'node:zlib'
import { createMetadataClientReader } from '@latchkey/oauth/internal'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openReader } from './support/open-reader.ts'
import { documentOf, http, openSite, type Site } from './support/open-site.ts'
import { until } from './support/turns.ts'

const development = { issuer: 'http://127.0.0.1:3000' }
let site: Site
let another: Site

beforeAll(async () => {
  site = await openSite()
  another = await openSite()
  another.answer(http(documentOf(site.id)))
})

afterEach(async () => {
  vi.restoreAllMocks()
  expect(another.connections.opened).toBe(0)
  await until(() => site.connections.open === 0)
})

afterAll(async () => {
  await site.close()
  await another.close()
})

/** Reads the document of the site by a reader of its own. */
const readSite = async (answer: Parameters<Site['answer']>[0]) => {
  site.answer(answer)
  const reader = openReader(development)
  const reading = await reader.readOnce(site.id)
  expect(reader.lookups).toEqual([])
  expect(reader.connections).toEqual([`127.0.0.1 ${site.port}`])
  return reading
}
const failed = { kind: 'failed', reason: expect.any(String) }

describe('the request', () => {
  test('a fetch sends one GET request without cookies, credentials or a referrer', async () => {
    const before = site.requests.length
    expect(await readSite(http(documentOf(site.id)))).toMatchObject({ kind: 'client', fetched: true })
    expect(site.requests.slice(before)).toEqual([
      [
        'GET /client.json HTTP/1.1',
        `Host: 127.0.0.1:${site.port}`,
        'Accept: application/json',
        'Accept-Encoding: identity',
        'User-Agent: latchkey-oauth',
        'Connection: close',
        '\r\n',
      ].join('\r\n'),
    ])
  })

  test('a fetch never uses the connection of another fetch', async () => {
    const { opened } = site.connections
    site.answer((socket) => void socket.write(http(documentOf(site.id), { headers: { Connection: 'keep-alive' } })))
    const reader = openReader(development)
    for (const fetches of [1, 2]) {
      expect(await reader.readOnce(site.id, { fresh: true })).toMatchObject({ kind: 'client' })
      expect(site.connections.opened - opened).toBe(fetches)
      await until(() => site.connections.open === 0)
      reader.clock.ms += 1000
    }
  })

  test('an escaped line break in the path stays escaped', async () => {
    site.answer(http('{}'))
    const before = site.requests.length
    await openReader(development).readOnce(`http://127.0.0.1:${site.port}/a%0d%0aHost:%20evil.example`)
    expect(site.requests.slice(before).map((request) => request.split('\r\n', 2))).toEqual([
      ['GET /a%0d%0aHost:%20evil.example HTTP/1.1', `Host: 127.0.0.1:${site.port}`],
    ])
  })
})

describe('a status', () => {
  const elsewhere = () => ({ Location: `http://127.0.0.1:${another.port}/client.json` })

  test.each([300, 301, 302, 303, 304, 305, 306, 307, 308])(
    'status %i fails, without a connection to the Location',
    async (status) => {
      const answer = http(documentOf(site.id), { status: `${status} Moved`, headers: elsewhere() })
      expect(await readSite(answer)).toEqual(failed)
      expect(another.connections.opened).toBe(0)
    },
  )

  test.each([
    ...['201 Created', '202 Accepted', '203 Non-Authoritative', '204 No Content', '205 Reset', '206 Partial Content'],
    ...['226 IM Used', '299 Other', '400 Bad Request', '401 Unauthorized', '404 Not Found', '407 Proxy', '410 Gone'],
    ...[
      '429 Too Many',
      '500 Error',
      '503 Unavailable',
      '599 Other',
      '000 None',
      '999 None',
      '2000 OK',
      '20 OK',
      '-200 OK',
    ],
  ])('status %s fails', async (status) => {
    expect(await readSite(http(documentOf(site.id), { status }))).toEqual(failed)
  })

  test('status 200 may follow status 103', async () => {
    const early = Buffer.from(`HTTP/1.1 103 Early Hints\r\nLink: <http://127.0.0.1:${another.port}/a>\r\n\r\n`)
    const answer = Buffer.concat([early, http(documentOf(site.id))])
    expect(await readSite(answer)).toMatchObject({ kind: 'client' })
  })

  test('status 101 fails', async () => {
    const answer = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'
    expect(await readSite((socket) => void socket.write(answer))).toEqual(failed)
  })

  test('Refresh, Link and Content-Location have no effect', async () => {
    const address = `http://127.0.0.1:${another.port}/client.json`
    const headers = { Refresh: `0; url=${address}`, Link: `<${address}>; rel="canonical"`, 'Content-Location': address }
    expect(await readSite(http(documentOf(site.id), { headers }))).toMatchObject({ kind: 'client' })
  })
})

describe('a type', () => {
  test.each([
    ...['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'],
    ...['application/json ; charset=utf-8', 'application/json; profile="a"', 'application/client-metadata+json'],
    ...['application/a.b+c+json', 'application/ld+json;charset=UTF-8'],
  ])('the type %s is allowed', async (type) => {
    expect(await readSite(http(documentOf(site.id), { headers: { 'Content-Type': type } }))).toMatchObject({
      kind: 'client',
    })
  })

  test.each([
    null,
    ...['', 'text/html', 'text/plain', 'text/json', 'application/javascript', 'application/jsonp', 'application/xjson'],
    ...[
      'application/json-seq',
      'application/+json',
      'application/x+jsonp',
      'application',
      '*/*',
      'application/*',
      'json',
    ],
    ...['application/json, text/html', 'text/html; a=application/json', 'image/svg+json', 'application/a/b+json'],
    ...['application/json; charset=utf-16', 'application/json; charset=iso-8859-1', 'application/json; charset'],
    ...['application/json; charset=utf-8; charset=utf-16', 'application/json; charset=utf-8,utf-16'],
    'application/json\r\nContent-Type: text/html',
    'text/html\r\nContent-Type: application/json',
    'application/json\r\nContent-Type: application/json',
  ])('the type %j fails', async (type) => {
    expect(await readSite(http(documentOf(site.id), { headers: { 'Content-Type': type } }))).toEqual(failed)
  })
})

describe('a body', () => {
  const padded = (bytes: number): Buffer => {
    const document = Buffer.from(documentOf(site.id))
    return Buffer.concat([document, Buffer.alloc(bytes - document.length, ' ')])
  }
  const ways: Readonly<Record<string, (body: Uint8Array) => Uint8Array>> = {
    'with Content-Length': (body) => http(body),
    'in one chunk': (body) => http(chunk(body), { headers: chunked }),
    'in chunks of 64 bytes': (body) => http(inChunks(body, 64), { headers: chunked }),
    'until the connection ends': (body) => http(body, { headers: { 'Content-Length': null } }),
  }
  const chunked = { 'Content-Length': null, 'Transfer-Encoding': 'chunked' }
  const chunk = (body: Uint8Array): Buffer => Buffer.concat([oneChunk(body), Buffer.from('0\r\n\r\n')])
  const oneChunk = (body: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
  const inChunks = (body: Uint8Array, size: number): Buffer => {
    const starts = Array.from({ length: Math.ceil(body.length / size) }, (_, index) => index * size)
    return Buffer.concat([
      ...starts.map((start) => oneChunk(body.subarray(start, start + size))),
      Buffer.from('0\r\n\r\n'),
    ])
  }

  test.each(Object.keys(ways))('a body of 5120 bytes %s is allowed, and a body of 5121 bytes fails', async (way) => {
    expect(await readSite(ways[way]!(padded(5119)))).toMatchObject({ kind: 'client' })
    expect(await readSite(ways[way]!(padded(5120)))).toMatchObject({ kind: 'client' })
    expect(await readSite(ways[way]!(padded(5121)))).toEqual(failed)
  })

  test('the limit counts bytes, not characters', async () => {
    const name = 'é'.repeat(100)
    const document = documentOf(site.id, { client_name: name, filler: '€'.repeat(1650) })
    expect([document.length < 5120, Buffer.byteLength(document) > 5120]).toEqual([true, true])
    expect(await readSite(http(document))).toEqual(failed)
  })

  test('the limit counts all pieces of a body', async () => {
    const bytes = padded(5121)
    const reading = await readSite((socket) => {
      socket.write(http('', { headers: { 'Content-Length': null } }))
      socket.write(bytes.subarray(0, 3000))
      setTimeout(() => socket.end(bytes.subarray(3000)), 20)
    })
    expect(reading).toEqual(failed)
  })

  test.each([
    ['a body', http('', { headers: { 'Content-Length': null } }), 'a'.repeat(1000)],
    ['chunks', http('', { headers: { 'Content-Length': null, 'Transfer-Encoding': 'chunked' } }), '1\r\na\r\n'],
    [
      'an extension of a chunk',
      http('', { headers: { 'Content-Length': null, 'Transfer-Encoding': 'chunked' } }),
      ';a=b',
    ],
    ['trailers', http('0\r\n', { headers: { 'Content-Length': null, 'Transfer-Encoding': 'chunked' } }), 'A: b\r\n'],
    ['headers', Buffer.from('HTTP/1.1 200 OK\r\n'), 'A: b\r\n'],
    ['one header', Buffer.from('HTTP/1.1 200 OK\r\nA: '), 'b'.repeat(1000)],
    ['a reason', Buffer.from('HTTP/1.1 200 '), 'b'.repeat(1000)],
  ])(
    'an answer that never stops fails: %s',
    async (_what, start, more) => {
      let sent = 0
      const reading = await readSite((socket) => {
        socket.write(start)
        const timer = setInterval(() => {
          if (socket.destroyed) return clearInterval(timer)
          for (let count = 0; count < 20; count++) socket.write(more)
          sent += 20 * more.length
        }, 1)
        socket.on('close', () => clearInterval(timer))
      })
      expect(reading).toEqual(failed)
      expect(sent).toBeLessThan(2_000_000)
    },
    10_000,
  )

  test.each(['gzip', 'deflate', 'br', 'zstd', 'compress', 'x-gzip', 'identity, gzip', 'gzip, identity', 'chunked', ''])(
    'the encoding %j fails',
    async (encoding) => {
      const bomb = gzipSync(Buffer.concat([Buffer.from(documentOf(site.id)), Buffer.alloc(4_000_000, ' ')]))
      expect(bomb.length).toBeLessThan(5120)
      expect(await readSite(http(bomb, { headers: { 'Content-Encoding': encoding } }))).toEqual(failed)
      expect(await readSite(http(documentOf(site.id), { headers: { 'Content-Encoding': encoding } }))).toEqual(failed)
    },
  )

  test('the encoding identity is allowed', async () => {
    const headers = { 'Content-Encoding': 'Identity' }
    expect(await readSite(http(documentOf(site.id), { headers }))).toMatchObject({ kind: 'client' })
  })

  test.each([
    ['packed without a header', gzipSync('{}')],
    ['a lone continuation byte', Buffer.from([0x7b, 0x80, 0x7d])],
    ['an overlong slash', Buffer.from([0xc0, 0xaf])],
    ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0x80])],
    ['a character cut off', Buffer.from([0x22, 0xe2, 0x82])],
    ['UTF-16', Buffer.from('{}', 'utf16le').swap16().fill(0xff, 0, 1)],
    ['ISO 8859-1', Buffer.from('{"client_name":"é"}', 'latin1')],
  ])('a body that is not UTF-8 fails: %s', async (_what, bytes) => {
    expect(await readSite(http(bytes))).toEqual(failed)
  })

  test('a character may arrive in two pieces', async () => {
    const bytes = Buffer.from(documentOf(site.id, { client_name: 'Notizbücher' }))
    const middle = bytes.indexOf(0xc3) + 1
    const reading = await readSite((socket) => {
      socket.write(http('', { headers: { 'Content-Length': `${bytes.length}` } }))
      socket.write(bytes.subarray(0, middle))
      setTimeout(() => socket.end(bytes.subarray(middle)), 20)
    })
    expect(reading).toMatchObject({ kind: 'client', client: { clientName: 'Notizbücher' } })
  })

  test.each([
    ['shorter than announced', () => http(documentOf(site.id), { headers: { 'Content-Length': '5000' } })],
    ['chunks without an end', () => http(oneChunk(padded(200)), { headers: chunked })],
    ['headers without an end', () => 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'],
    ['no bytes', () => ''],
  ])('an incomplete answer fails: %s', async (_what, answer) => {
    expect(await readSite(answer())).toEqual(failed)
  })

  test.each([
    ['no HTTP', () => documentOf(site.id)],
    ['HTTP/2', () => 'HTTP/2 200\r\nContent-Type: application/json\r\n\r\n{}'],
    ['frames of HTTP/2', () => Buffer.from('00000c04000000000000030000006400040000ffff', 'hex')],
    ['TLS', () => Buffer.from('15030300020228', 'hex')],
    ['two lengths', () => http(documentOf(site.id), { headers: { 'Content-Length': '10\r\nContent-Length: 200' } })],
    ['a length that is no decimal number', () => http(documentOf(site.id), { headers: { 'Content-Length': '0x10' } })],
    ['a length below zero', () => http(documentOf(site.id), { headers: { 'Content-Length': '-1' } })],
    ['a length beside chunks', () => http(chunk(padded(200)), { headers: { 'Transfer-Encoding': 'chunked' } })],
    ['a null character in a header', () => http(documentOf(site.id), { headers: { A: 'b\0c' } })],
    ['a header without a name', () => http(documentOf(site.id), { headers: { '': 'b' } })],
    ['a chunk without a size', () => http('zz\r\n{}\r\n0\r\n\r\n', { headers: chunked })],
  ])('an answer against the rules of HTTP fails: %s', async (_what, answer) => {
    expect(await readSite(answer())).toEqual(failed)
  })

  test('the reason does not quote the answer', async () => {
    for (const answer of [
      http('secret-of-a-machine'),
      http('{}', { headers: { 'Content-Type': 'secret-of-a-machine' } }),
      http('{}', { status: '500 secret-of-a-machine' }),
      'secret-of-a-machine',
    ]) {
      expect(JSON.stringify(await readSite(answer))).not.toContain('secret')
    }
  })
})

describe('without options for tests', () => {
  const real = () => createMetadataClientReader({ ...development, from: 'any', now: Date.now })

  test('a reader connects to this machine without the resolver of the operating system', async () => {
    const lookup = vi.spyOn(dns, 'lookup')
    for (const host of ['127.0.0.1', 'localhost']) {
      const id = `http://${host}:${site.port}/client.json`
      site.answer(http(documentOf(id)))
      expect(await real().read(id, { address: undefined })).toMatchObject({ kind: 'client', client: { clientId: id } })
    }
    expect(lookup).not.toHaveBeenCalled()
  })

  test('a reader can be created in a runtime without sockets, and its fetches fail', async () => {
    const { opened } = site.connections
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    const reader = real()
    expect(await reader.read(site.id, { address: undefined })).toEqual(failed)
    expect(await reader.read('https://notes.example/client', { address: undefined })).toEqual(failed)
    expect(site.connections.opened).toBe(opened)
  })

  test('a port without a listener fails', async () => {
    const closed = await openSite()
    await closed.close()
    expect(await real().read(closed.id, { address: undefined })).toEqual(failed)
  })
})
