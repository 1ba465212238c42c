import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createFreezingProxy } from '@latchkey/test-services'
import { expect, onTestFinished, test, vi } from 'vitest'

/** A server that answers every text in capital letters, behind a proxy, and what it was sent. */
async function startEcho() {
  let received = ''
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk
      socket.write(String(chunk).toUpperCase())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await createFreezingProxy((server.address() as AddressInfo).port)
  onTestFinished(async () => {
    await proxy.close()
    await new Promise((resolve) => server.close(resolve))
  })
  return { proxy, received: () => received }
}

/** A client, what it has heard, and whether its connection was closed. */
async function open(port: number) {
  let heard = ''
  const socket: Socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    heard += chunk
  })
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  return { say: (text: string) => socket.write(text), heard: () => heard, socket }
}

/** A moment in which loopback would have forwarded anything. */
const moment = () => setTimeout(50)

test('everything is forwarded until the way freezes', async () => {
  const { proxy } = await startEcho()
  const client = await open(proxy.port)
  client.say('hello')
  await vi.waitFor(() => expect(client.heard()).toBe('HELLO'))
  expect([proxy.opened, proxy.connections]).toEqual([1, 1])
})

test('a frozen proxy forwards no data and closes no connection, and thaw forwards the kept data', async () => {
  const { proxy, received } = await startEcho()
  const before = await open(proxy.port)
  before.say('a')
  await vi.waitFor(() => expect(before.heard()).toBe('A'))
  proxy.freeze()
  const during = await open(proxy.port)
  before.say('b')
  during.say('c')
  await moment()
  expect([received(), before.heard(), during.heard()]).toEqual(['a', 'A', ''])
  expect([before.socket.destroyed, during.socket.destroyed]).toEqual([false, false])
  proxy.thaw()
  await vi.waitFor(() => expect([before.heard(), during.heard()]).toEqual(['AB', 'C']))
})

test('half-open connections are dead for ever, and new ones are forwarded', async () => {
  const { proxy, received } = await startEcho()
  const dead = await open(proxy.port)
  dead.say('a')
  await vi.waitFor(() => expect(dead.heard()).toBe('A'))
  proxy.freeze({ halfOpen: true })
  dead.say('lost')
  const living = await open(proxy.port)
  living.say('b')
  await vi.waitFor(() => expect(living.heard()).toBe('B'))
  proxy.thaw()
  await moment()
  expect([received(), dead.heard(), dead.socket.destroyed, proxy.connections]).toEqual(['ab', 'A', false, 2])
})

test('new connections are refused while that is set', async () => {
  const { proxy } = await startEcho()
  const before = await open(proxy.port)
  proxy.refuse()
  const refused = connect(proxy.port, '127.0.0.1')
  refused.on('error', () => {})
  // Whether it is told before or after the connection is made is the system's affair.
  await new Promise((resolve) => refused.on('close', resolve))
  before.say('a')
  await vi.waitFor(() => expect(before.heard()).toBe('A'))
  expect([proxy.opened, proxy.refused]).toEqual([1, 1])
  proxy.refuse(false)
  const after = await open(proxy.port)
  after.say('b')
  await vi.waitFor(() => expect(after.heard()).toBe('B'))
})

test('closing it closes every connection, dead ones too', async () => {
  const { proxy } = await startEcho()
  const dead = await open(proxy.port)
  await vi.waitFor(() => expect(proxy.connections).toBe(1))
  proxy.freeze({ halfOpen: true })
  const living = await open(proxy.port)
  await proxy.close()
  await vi.waitFor(() => expect([dead.socket.destroyed, living.socket.destroyed]).toEqual([true, true]))
})
