import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import type { StreamLimits } from '@latchkey/graphql'
import { toUpgradeListener } from '@latchkey/graphql/node'
import type { SocketHandler } from '@latchkey/graphql/ws'
import { describe, expect, onTestFinished, test } from 'vitest'

interface Site {
  readonly port: number
  /** The messages that the handler was given. */
  readonly messages: string[]
  /** The codes by which sockets have closed. */
  readonly closed: number[]
}

async function start(limits: Partial<StreamLimits> = {}): Promise<Site> {
  const messages: string[] = []
  const closed: number[] = []
  const handler: SocketHandler = {
    limits: {
      streamsPerSocket: 20,
      messageBytes: 100_000,
      unreadBytes: 1_000_000,
      pingMs: 60_000,
      ...limits,
    } as StreamLimits,
    accept: async () => ({
      ok: true,
      open(socket) {
        socket.onMessage(async (text) => void messages.push(text))
        return (code) => void closed.push(code)
      },
      abandon: () => undefined,
    }),
    close: () => undefined,
  }
  const server = createServer()
  server.on('upgrade', toUpgradeListener(handler, { path: '/' })).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, messages, closed }
}

const opcodes = { continuation: 0, text: 1, ping: 9, pong: 10 } as const

/** A frame as clients send it, with a mask of zeros. */
function frame(kind: keyof typeof opcodes, text = '', isLast = true): Buffer {
  const length = text.length < 126 ? [0x80 | text.length] : [0x80 | 126, text.length >> 8, text.length & 255]
  return Buffer.from([(isLast ? 0x80 : 0) | opcodes[kind], ...length, 0, 0, 0, 0, ...Buffer.from(text)])
}

/** Opens a socket and returns the data of the service after the handshake. */
async function openSocket(port: number): Promise<{ socket: Socket; heard: () => Buffer }> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let bytes = Buffer.alloc(0)
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
    })
  const lines = ['GET / HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const key = `Sec-WebSocket-Key: ${'a'.repeat(22)}==`
  socket.write([...lines, key, 'Sec-WebSocket-Protocol: graphql-transport-ws', '', ''].join('\r\n'))
  await expect.poll(() => bytes.includes('\r\n\r\n')).toBe(true)
  bytes = Buffer.alloc(0)
  return { socket, heard: () => bytes }
}

/** The close frame of code 1008. */
const policyViolation = Buffer.concat([
  Buffer.from([0x88, 2 + 'RATE_LIMITED'.length, 0x03, 0xf0]),
  Buffer.from('RATE_LIMITED'),
])

describe('a WebSocket', () => {
  const floods = {
    pongs: (count: number) => Buffer.concat(Array.from({ length: count }, () => frame('pong'))),
    pings: (count: number) => Buffer.concat(Array.from({ length: count }, () => frame('ping'))),
    messages: (count: number) => Buffer.concat(Array.from({ length: count }, () => frame('text', 'x'))),
  } as const
  for (const [what, flood] of Object.entries(floods)) {
    test(`closes with 1008 after 1000 ${what} within a second and handles none of the rest`, async () => {
      const site = await start()
      const { socket, heard } = await openSocket(site.port)
      socket.write(flood(10_000))
      await expect.poll(() => heard().includes(policyViolation)).toBe(true)
      await expect.poll(() => site.closed, { timeout: 5_000 }).toHaveLength(1)
      expect(site.messages.length).toBeLessThanOrEqual(what === 'messages' ? 1_000 : 0)
      expect(heard().length).toBeLessThanOrEqual(policyViolation.length + 1_001 * 2)
    })

    test(`stays open with 1000 ${what} in each of two seconds`, async () => {
      const site = await start()
      const { socket, heard } = await openSocket(site.port)
      for (let second = 0; second < 2; second++) {
        socket.write(flood(1_000))
        await new Promise((resolve) => setTimeout(resolve, 1_050))
      }
      socket.write(frame('text', 'last'))
      await expect.poll(() => site.messages.at(-1)).toBe('last')
      expect(heard().includes(policyViolation)).toBe(false)
    })
  }

  test('may send five frames a second for each of its streams if these are more than 1000', async () => {
    const site = await start({ streamsPerSocket: 240 })
    const { socket } = await openSocket(site.port)
    socket.write(floods.messages(1_200))
    await expect.poll(() => site.messages.length).toBe(1_200)
    socket.write(frame('text', 'more'))
    await expect.poll(() => site.closed.length, { timeout: 5_000 }).toBe(1)
    expect(site.messages).toHaveLength(1_200)
  })

  test('closes with 1008 when its messages have more than 1000 fragments within a second', async () => {
    const site = await start()
    const { socket, heard } = await openSocket(site.port)
    const fragmented = [
      frame('text', 'a', false),
      ...Array.from({ length: 48 }, () => frame('continuation', '', false)),
      frame('continuation', 'b'),
    ]
    socket.write(Buffer.concat(Array.from({ length: 20 }, () => fragmented).flat()))
    await expect.poll(() => site.messages).toEqual(Array(20).fill('ab'))
    socket.write(Buffer.concat(fragmented))
    await expect.poll(() => heard().includes(policyViolation)).toBe(true)
    expect(site.messages).toHaveLength(20)
  })

  test.each([1, 3, 7, 1_000])('counts each frame once if it arrives in pieces of %i bytes', async (size) => {
    const site = await start()
    const { socket, heard } = await openSocket(site.port)
    const texts = Array.from({ length: 49 }, (_none, index) => 'x'.repeat(index * 5))
    const long = 'y'.repeat(70_000)
    const longHead = Buffer.from([0x81, 0x80 | 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70, 0, 0, 0, 0])
    const bytes = Buffer.concat([...texts.map((text) => frame('text', text)), longHead, Buffer.from(long)])
    for (let at = 0; at < bytes.length; at += size) {
      socket.write(bytes.subarray(at, at + size))
      if (at < 3_000) await new Promise((resolve) => setImmediate(resolve))
    }
    await expect.poll(() => site.messages).toEqual([...texts, long])
    socket.write(Buffer.concat(Array.from({ length: 949 }, () => frame('text', 'z'))))
    await expect.poll(() => site.messages.length).toBe(999)
    expect(heard().includes(policyViolation)).toBe(false)
  })

  test('closes with 1008 when it sends more than ten messages of the most bytes within a second', async () => {
    const site = await start({ messageBytes: 1_000 })
    const { socket, heard } = await openSocket(site.port)
    for (let count = 0; count < 9; count++) socket.write(frame('text', 'x'.repeat(1_000)))
    await expect.poll(() => site.messages.length).toBe(9)
    for (let count = 0; count < 2; count++) socket.write(frame('text', 'x'.repeat(1_000)))
    await expect.poll(() => heard().includes(policyViolation)).toBe(true)
    expect(site.messages.length).toBeLessThan(11)
  })

  test('closes with 1008 when the fragments of one message have more bytes than a second allows', async () => {
    const site = await start({ messageBytes: 10 })
    const { socket, heard } = await openSocket(site.port)
    socket.write(
      Buffer.concat([frame('text', '', false), ...Array.from({ length: 40 }, () => frame('continuation', '', false))]),
    )
    await expect.poll(() => heard().includes(policyViolation)).toBe(true)
    expect(site.messages).toEqual([])
  })
})
