import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runOpenLoop } from '../src/latency/open-loop.ts'
import { createSchedule } from '../src/latency/schedule.ts'
import { runClosedLoop } from '../src/load/closed-loop.ts'
import { openConnection, writeRequest } from '../src/load/connection.ts'
import type { LoadTarget } from '../src/load/load-target.ts'

async function openTarget(handle: RequestListener, connections: number): Promise<LoadTarget & { server: Server }> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(port)))
  const close = async (): Promise<void> => {
    for (const connection of opened) connection.close()
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  const request = writeRequest({ method: 'GET', path: '/', host: '127.0.0.1', headers: {} })
  const ask = (asked: Buffer) => opened[0]!.ask(asked)
  return { name: 'a server', child: undefined as never, connections: opened, next: () => request, ask, close, server }
}

describe('the schedule of a rate', () => {
  test('has a request at once and the others at even distances', () => {
    const schedule = createSchedule(200, 0.5)
    expect(schedule.count).toBe(100)
    expect([0, 1, 99].map(schedule.dueAt)).toEqual([0, 5, 495])
  })

  test('counts what is due by a moment, never more than there is', () => {
    const { dueBy } = createSchedule(200, 0.5)
    expect([-1, 0, 4.9, 5, 12, 495, 10_000].map(dueBy)).toEqual([0, 1, 1, 2, 3, 100, 100])
  })

  test('has one request if its rate is below one in its time', () => {
    expect(createSchedule(0.5, 1).count).toBe(1)
  })
})

describe('an open loop', () => {
  test('counts the wait of requests that were due while the server did not answer', async () => {
    const heldMs = 120
    let held = false
    const target = await openTarget((_request, response) => {
      if (held) return void response.end('later')
      held = true
      setTimeout(() => response.end('first'), heldMs)
    }, 1)
    const waits = await runOpenLoop(target, createSchedule(100, 0.1))
    expect(waits).toHaveLength(10)
    // Timers may be a millisecond early. A loop that waits for answers before it asks again would show one long wait alone.
    for (const [index, waitMs] of waits.entries()) expect(waitMs).toBeGreaterThan(heldMs - 2 - index * 10)
  })

  test('fails with the status of an unexpected answer', async () => {
    const target = await openTarget((_request, response) => void response.writeHead(503).end(), 2)
    await expect(runOpenLoop(target, createSchedule(1000, 0.01))).rejects.toThrow('a server answered 503')
  })
})

describe('a closed loop', () => {
  test('asks again after each answer, and counts every one', async () => {
    let answered = 0
    const target = await openTarget((_request, response) => {
      answered++
      response.end('fine')
    }, 4)
    const { requests, milliseconds } = await runClosedLoop(target, 50)
    expect(requests).toBe(answered)
    expect(requests).toBeGreaterThanOrEqual(4)
    expect(milliseconds).toBeGreaterThanOrEqual(50)
  })

  test('rejects when something else than 200 is answered', async () => {
    const target = await openTarget((_request, response) => void response.writeHead(401).end('no'), 1)
    await expect(runClosedLoop(target, 10)).rejects.toThrow('a server answered 401')
  })

  test('opens connections again that the server has closed between two turns', async () => {
    const target = await openTarget((_request, response) => void response.end('fine'), 2)
    await runClosedLoop(target, 10)
    target.server.closeAllConnections()
    const { requests } = await runClosedLoop(target, 10)
    expect(requests).toBeGreaterThanOrEqual(2)
  })
})
