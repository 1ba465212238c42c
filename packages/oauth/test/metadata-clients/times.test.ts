import { connect, Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openReader } from './support/open-reader.ts'
import { type Answer, documentOf, http, openSite, type Site } from './support/open-site.ts'
import { someTurns, until } from './support/turns.ts'

const development = { issuer: 'http://127.0.0.1:3000' }
let site: Site

beforeAll(async () => {
  site = await openSite()
})
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())
afterAll(() => site.close())

/** Sites that do not complete an answer. */
const slow: Readonly<Record<string, Answer>> = {
  'says nothing': () => undefined,
  'sends a status alone': (socket) => void socket.write('HTTP/1.1 200 OK\r\n'),
  'sends headers without an end': (socket) =>
    void socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'),
  'sends headers alone': (socket) => void socket.write(http('', { headers: { 'Content-Length': '100' } })),
  'sends half a body': (socket) => void socket.write(http('{"client_id":', { headers: { 'Content-Length': '100' } })),
  'sends a body without an end': (socket) => void socket.write(http('{}', { headers: { 'Content-Length': null } })),
  'asks to continue': (socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(4)),
}

test.each(Object.keys(slow))('a fetch from a site that %s fails after 5 seconds', async (what) => {
  const before = site.requests.length
  site.answer(slow[what]!)
  const seen = vi.fn()
  const reader = openReader(development)
  const reading = reader.readOnce(site.id).then(seen)
  await until(() => site.requests.length === before + 1)
  await vi.advanceTimersByTimeAsync(4999)
  await someTurns()
  expect(seen).not.toHaveBeenCalled()
  expect(site.connections.open).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  await reading
  expect(seen).toHaveBeenCalledWith({ kind: 'failed', reason: 'there was no answer in time' })
  await until(() => site.connections.open === 0)
})

test.each([
  ['announces 5121 bytes', http('', { headers: { 'Content-Length': '5121' } })],
  ['sends 5121 bytes and more', http('a'.repeat(5121), { headers: { 'Content-Length': null } })],
  [
    'redirects',
    http('', { status: '302 Found', headers: { 'Content-Length': '1', Location: 'https://notes.example/' } }),
  ],
  ['sends another type', http('', { headers: { 'Content-Length': '1', 'Content-Type': 'text/html' } })],
  ['sends five informational answers', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(5)],
  ['changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
])('a fetch from a site that %s and then waits fails at once', async (_what, bytes) => {
  site.answer((socket) => void socket.write(bytes))
  expect(await openReader(development).readOnce(site.id)).toEqual({
    kind: 'failed',
    reason: expect.not.stringContaining('in time'),
  })
  await until(() => site.connections.open === 0)
})

test('a fetch from a site that sends a byte every second fails after 5 seconds', async () => {
  const bytes = http(documentOf(site.id))
  let send: (byte: number) => void = () => undefined
  const before = site.requests.length
  site.answer((socket) => {
    send = (index) => void socket.write(bytes.subarray(index, index + 1))
  })
  const seen = vi.fn()
  const reading = openReader(development).readOnce(site.id).then(seen)
  await until(() => site.requests.length === before + 1)
  for (let second = 0; second < 5; second++) {
    send(second)
    await someTurns()
    expect(seen).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1000)
  }
  await reading
  expect(seen).toHaveBeenCalledWith({ kind: 'failed', reason: 'there was no answer in time' })
})

test('a fetch from a site that answers after 4999 milliseconds succeeds', async () => {
  let answer = (): void => undefined
  const before = site.requests.length
  site.answer((socket) => {
    answer = () => void socket.end(http(documentOf(site.id)))
  })
  const reading = openReader(development).readOnce(site.id)
  await until(() => site.requests.length === before + 1)
  await vi.advanceTimersByTimeAsync(4999)
  answer()
  expect(await reading).toMatchObject({ kind: 'client' })
})

test('a fetch without an answer to the TLS handshake fails after 5 seconds', async () => {
  const { opened } = site.connections
  const names = { 'notes.example': ['93.184.215.14'] }
  const seen = vi.fn()
  const reading = openReader({ names, port: site.port }).readOnce('https://notes.example/client').then(seen)
  await until(() => site.connections.opened === opened + 1)
  await someTurns()
  await vi.advanceTimersByTimeAsync(4999)
  expect(seen).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  await reading
  expect(seen).toHaveBeenCalledWith({ kind: 'failed', reason: 'there was no answer in time' })
  await until(() => site.connections.open === 0)
})

describe('addresses without a connection', () => {
  const silent = ['2606:2800::1', '2606:2800::2', '2606:2800::3', '2606:2800::4']

  test('a silent address is followed by the next address after 1.5 seconds', async () => {
    site.answer(http(documentOf('http://localhost:4000/client.json')))
    const connections: string[] = []
    const reader = openReader({
      ...development,
      names: { localhost: ['::1', '127.0.0.1'] },
      connect: ({ address }) => {
        connections.push(address)
        return address === '::1' ? new Socket() : connect({ host: address, port: site.port })
      },
    })
    const reading = reader.readOnce('http://localhost:4000/client.json')
    await vi.advanceTimersByTimeAsync(1499)
    expect(connections).toEqual(['::1'])
    await vi.advanceTimersByTimeAsync(1)
    expect(connections).toEqual(['::1', '127.0.0.1'])
    expect(await reading).toMatchObject({ kind: 'client' })
  })

  test('the sockets of three silent addresses are closed', async () => {
    const sockets: Socket[] = []
    const reader = openReader({
      names: { 'notes.example': silent },
      connect: () => {
        const socket = new Socket()
        sockets.push(socket)
        return socket
      },
    })
    const reading = reader.readOnce('https://notes.example/client')
    await vi.advanceTimersByTimeAsync(4500)
    expect(await reading).toMatchObject({ kind: 'failed' })
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, true])
  })
})

describe('a signal', () => {
  test('an aborted signal rejects the reading, without a connection', async () => {
    const reader = openReader(development)
    const reason = new Error('gone')
    await expect(reader.readOnce(site.id, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(reader.connections).toEqual([])
  })

  test('an abort rejects its own reading, and another reading of the id continues', async () => {
    let answer = (): void => undefined
    const before = site.requests.length
    site.answer((socket) => {
      answer = () => void socket.end(http(documentOf(site.id)))
    })
    const reader = openReader(development)
    const gone = new AbortController()
    const first = reader.readOnce(site.id, { signal: gone.signal })
    const second = reader.readOnce(site.id)
    await until(() => site.requests.length === before + 1)
    gone.abort(new Error('gone'))
    await expect(first).rejects.toThrow('gone')
    answer()
    expect(await second).toMatchObject({ kind: 'client' })
  })
})
