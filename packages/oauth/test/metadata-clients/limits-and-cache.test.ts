import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenReader, openReader } from './support/open-reader.ts'
import { documentOf, http, openSite, type Site } from './support/open-site.ts'
import { until } from './support/turns.ts'

const development = { issuer: 'http://127.0.0.1:3000' }
let site: Site

beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

/** The requests that a site has got for one path. */
const requestsOf = (path: string): number => site.requests.filter((text) => text.startsWith(`GET ${path} `)).length
/** An id at the site, of which each test has its own. */
let drawn = 0
const drawId = (): { id: string; path: string } => {
  const path = `/client-${++drawn}.json`
  return { id: `http://127.0.0.1:${site.port}${path}`, path }
}
const failed = { kind: 'failed' }
const limited = (retryAfterSeconds: number) => ({ kind: 'limited', retryAfterSeconds })

/** Reads documents of hosts that do not answer, each of its own and for a requester of its own, if not given. */
function floodOf(reader: OpenReader, options: { host?: string; address?: string } = {}) {
  let count = 0
  return async (times: number) => {
    const kinds: string[] = []
    for (let read = 0; read < times; read++) {
      count++
      const id = `https://${options.host ?? `h${count}.example`}/client-${count}`
      kinds.push((await reader.read(id, { address: options.address ?? `198.18.${count >> 8}.${count & 255}` })).kind)
    }
    return kinds
  }
}
const times = (count: number, kind: string): string[] => new Array<string>(count).fill(kind)

describe('the limits', () => {
  test.each([
    ['120 fetches in 60 seconds', 120, {}],
    ['30 fetches of one host', 30, { host: 'notes.example' }],
    ['10 fetches for one requester', 10, { address: '203.0.113.7' }],
  ])(
    'the limits allow %s in a sliding window, and a limited reading makes no lookup',
    async (_what, limit, options) => {
      const reader = openReader()
      const flood = floodOf(reader, options)
      expect(await flood(limit - 1)).toEqual(times(limit - 1, 'failed'))
      reader.clock.ms += 20_000
      expect(await flood(3)).toEqual(['failed', 'limited', 'limited'])
      expect(reader.lookups).toHaveLength(limit)
      reader.clock.ms += 39_999
      expect(await flood(1)).toEqual(['limited'])
      reader.clock.ms += 1
      expect(await flood(limit)).toEqual([...times(limit - 1, 'failed'), 'limited'])
      expect(reader.lookups).toHaveLength(2 * limit - 1)
    },
  )

  test('retryAfterSeconds is the time until the next fetch may start', async () => {
    const reader = openReader()
    await floodOf(reader, { address: '203.0.113.7' })(10)
    const again = () => reader.read('https://notes.example/client', { address: '203.0.113.7' })
    expect(await again()).toEqual(limited(60))
    reader.clock.ms += 500
    expect(await again()).toEqual(limited(60))
    reader.clock.ms += 30_500
    expect(await again()).toEqual(limited(29))
    reader.clock.ms += 28_999
    expect(await again()).toEqual(limited(1))
    reader.clock.ms += 1
    expect(await again()).toMatchObject(failed)
  })

  test('requesters of one /64 network share a limit, and so do unknown requesters', async () => {
    const reader = openReader()
    const kinds: string[] = []
    for (let count = 0; count < 11; count++) {
      const id = `https://h${count}.example/client`
      kinds.push((await reader.read(id, { address: `2606:2800::${count}` })).kind)
      kinds.push((await reader.read(`${id}-2`, { address: undefined })).kind)
    }
    expect(kinds).toEqual([...times(20, 'failed'), ...times(2, 'limited')])
    expect(await reader.read('https://notes.example/client', { address: '2606:2800:0:1::1' })).toMatchObject(failed)
  })

  test('all ports and paths of a host share a limit, and subdomains have another limit', async () => {
    const reader = openReader()
    await floodOf(reader, { host: 'notes.example' })(30)
    expect(await reader.readOnce('https://notes.example:8443/client')).toEqual(limited(60))
    expect(await reader.readOnce('https://a.notes.example/client')).toMatchObject(failed)
  })

  test('limited readings and refused ids do not count', async () => {
    const reader = openReader()
    for (let count = 0; count < 200; count++) {
      expect(await reader.read('https://localhost/client', { address: '203.0.113.7' })).toMatchObject({
        kind: 'refused',
      })
    }
    const flood = floodOf(reader, { address: '203.0.113.7' })
    expect(await flood(12)).toEqual([...times(10, 'failed'), 'limited', 'limited'])
    reader.clock.ms += 60_000
    expect(await flood(10)).toEqual(times(10, 'failed'))
  })

  test('names with a refused address count', async () => {
    const reader = openReader({ names: async () => ['10.0.0.1'] })
    const kinds = await floodOf(reader, { address: '203.0.113.7' })(11)
    expect(kinds).toEqual([...times(10, 'refused'), 'limited'])
  })

  test('16 fetches may run at once, and the next reading is limited', async () => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    const reader = openReader({ names: () => promise })
    const flood = floodOf(reader)
    const held = Array.from({ length: 16 }, () => flood(1))
    await until(() => reader.lookups.length === 16)
    expect(await reader.readOnce('https://notes.example/client')).toEqual(limited(1))
    resolve([])
    expect(await Promise.all(held)).toEqual(times(16, 'failed').map((kind) => [kind]))
    expect(await reader.readOnce('https://notes.example/client')).toMatchObject(failed)
    expect(reader.lookups).toHaveLength(17)
  })

  test('simultaneous readings of an id share one fetch', async () => {
    const { id, path } = drawId()
    let answer = (): void => undefined
    site.answer((socket) => {
      answer = () => void socket.end(http(documentOf(id)))
    })
    const reader = openReader(development)
    const readings = Array.from({ length: 50 }, () => reader.read(id, { address: '203.0.113.7', fresh: true }))
    await until(() => requestsOf(path) === 1)
    answer()
    const [first, ...others] = await Promise.all(readings)
    expect(first).toMatchObject({ kind: 'client', fetched: true })
    expect(others).toHaveLength(49)
    for (const other of others) expect(other).toEqual({ ...first, fetched: false })
    expect([requestsOf(path), reader.connections.length]).toEqual([1, 1])
  })

  test('a fetch of an id may start one second after the end of the last fetch', async () => {
    const reader = openReader()
    const again = () => reader.readOnce('https://notes.example/client')
    expect(await again()).toMatchObject(failed)
    expect(await again()).toEqual(limited(1))
    reader.clock.ms += 999
    expect(await again()).toEqual(limited(1))
    expect(await reader.readOnce('https://notes.example/other')).toMatchObject(failed)
    reader.clock.ms += 1
    expect(await again()).toMatchObject(failed)
    expect(reader.lookups).toHaveLength(3)
  })

  test('a clock set back does not extend a window', async () => {
    const reader = openReader()
    const flood = floodOf(reader, { address: '203.0.113.7' })
    await flood(10)
    reader.clock.ms -= 30_000
    expect(await reader.read('https://notes.example/client', { address: '203.0.113.7' })).toEqual(limited(60))
    reader.clock.ms -= 86_400_000
    expect(await flood(1)).toEqual(['failed'])
  })
})

describe('a document in memory', () => {
  const serve = (id: string, cacheControl: string | null) =>
    site.answer(http(documentOf(id), { headers: { 'Cache-Control': cacheControl } }))

  test.each([
    [null, 300],
    ['', 300],
    ['public', 300],
    ['max-age', 300],
    ['max-age=', 300],
    ['max-age=a', 300],
    ['max-age=-1', 300],
    ['max-age=1.5', 300],
    ['x-max-age=100', 300],
    ['s-maxage=100', 300],
    ['max-age=0', 60],
    ['max-age=59', 60],
    ['max-age=60', 60],
    ['max-age=61', 61],
    ['max-age=3600', 3600],
    ['public, MAX-AGE=3600, immutable', 3600],
    ['max-age="3600"', 3600],
    ['max-age=3600, max-age=120', 120],
    ['max-age=3600\r\nCache-Control: max-age=120', 120],
    ['max-age=3600, no-cache', 60],
    ['no-cache', 60],
    ['max-age=86400', 86_400],
    ['max-age=86401', 86_400],
    ['max-age=99999999999999999999999999', 86_400],
    ['max-age=00000000000000000000000000000061', 61],
  ])('a document with Cache-Control %j stays in memory for %i seconds', async (cacheControl, seconds) => {
    const { id, path } = drawId()
    serve(id, cacheControl)
    const reader = openReader(development)
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'client', fetched: true })
    reader.clock.ms += seconds * 1000 - 1
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'client', fetched: false, client: { clientId: id } })
    expect(requestsOf(path)).toBe(1)
    reader.clock.ms += 1
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'client', fetched: true })
    expect(requestsOf(path)).toBe(2)
  })

  test.each(['no-store', 'No-Store', 'max-age=3600, no-store', 'no-store, max-age=3600', 'no-store="a"', 'a,no-store'])(
    'a document with Cache-Control %s does not stay in memory',
    async (cacheControl) => {
      const { id, path } = drawId()
      serve(id, cacheControl)
      const reader = openReader(development)
      expect(await reader.readOnce(id)).toMatchObject({ kind: 'client', fetched: true })
      reader.clock.ms += 1000
      expect(await reader.readOnce(id)).toMatchObject({ kind: 'client', fetched: true })
      expect(requestsOf(path)).toBe(2)
    },
  )

  test.each([
    ['a failure', http('{}', { status: '500 Error', headers: { 'Cache-Control': 'max-age=3600' } }), 'failed'],
    ['a bad document', http('{}', { headers: { 'Cache-Control': 'max-age=3600' } }), 'invalid'],
  ])('memory never keeps %s', async (_what, answer, kind) => {
    const { id, path } = drawId()
    site.answer(answer)
    const reader = openReader(development)
    for (const fetches of [1, 2, 3]) {
      expect(await reader.readOnce(id)).toMatchObject({ kind })
      expect(requestsOf(path)).toBe(fetches)
      reader.clock.ms += 1000
    }
  })

  test('readings from memory do not count in a limit', async () => {
    const { id } = drawId()
    serve(id, 'max-age=3600')
    const reader = openReader(development)
    for (let read = 0; read < 500; read++) {
      expect(await reader.read(id, { address: '203.0.113.7' })).toMatchObject({ kind: 'client' })
    }
    expect(reader.connections).toHaveLength(1)
  })

  test('a fresh reading replaces the document in memory, within the limits', async () => {
    const { id, path } = drawId()
    serve(id, 'max-age=3600')
    const reader = openReader(development)
    await reader.readOnce(id)
    expect(await reader.readOnce(id, { fresh: true })).toEqual(limited(1))
    reader.clock.ms += 1000
    site.answer(http(documentOf(id, { client_name: 'Renamed' })))
    expect(await reader.readOnce(id)).toMatchObject({ client: { clientName: 'Notes' } })
    expect(await reader.readOnce(id, { fresh: true })).toMatchObject({
      fetched: true,
      client: { clientName: 'Renamed' },
    })
    expect(await reader.readOnce(id)).toMatchObject({ fetched: false, client: { clientName: 'Renamed' } })
    expect(requestsOf(path)).toBe(2)
  })

  test.each([
    ['a failed fresh reading keeps the document in memory', () => '', true],
    ['an invalid fresh document removes the document from memory', () => http('{}'), false],
    [
      'a fresh document with no-store removes the document from memory',
      (id: string) => http(documentOf(id), { headers: { 'Cache-Control': 'no-store' } }),
      false,
    ],
  ])('%s', async (_what, answer, stays) => {
    const { id, path } = drawId()
    serve(id, 'max-age=3600')
    const reader = openReader(development)
    await reader.readOnce(id)
    reader.clock.ms += 1000
    site.answer(answer(id))
    await reader.readOnce(id, { fresh: true })
    reader.clock.ms += 1000
    serve(id, 'max-age=3600')
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'client', fetched: !stays })
    expect(requestsOf(path)).toBe(stays ? 2 : 3)
  })

  test('a clock set back does not extend the age of a document', async () => {
    const { id } = drawId()
    serve(id, 'max-age=3600')
    const reader = openReader(development)
    await reader.readOnce(id)
    reader.clock.ms -= 3_600_000
    expect(await reader.readOnce(id)).toMatchObject({ fetched: true })
  })

  test('memory keeps 1000 documents, and removes the least recently used document', async () => {
    site.answer((socket) => {
      const [, path] = /^GET (\S+)/.exec(site.requests.at(-1) ?? '') ?? []
      socket.end(
        http(documentOf(`http://127.0.0.1:${site.port}${path}`, {}), { headers: { 'Cache-Control': 'max-age=86400' } }),
      )
    })
    const reader = openReader(development)
    const ids = Array.from({ length: 1001 }, () => drawId().id)
    const [first = '', second = ''] = ids
    for (const id of ids) {
      if (id === ids.at(-1)) expect(await reader.readOnce(first)).toMatchObject({ fetched: false })
      expect(await reader.readOnce(id)).toMatchObject({ kind: 'client', fetched: true })
      reader.clock.ms += 6000
    }
    expect(await reader.readOnce(first)).toMatchObject({ fetched: false })
    expect(await reader.readOnce(second)).toMatchObject({ fetched: true })
  })
})
