import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createHttpHandler } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { expect, onTestFinished, test } from 'vitest'
import { ok, serve } from '../raw-client.ts'

const places = [1, 2, 3, 4]

/** A server with four connections. */
async function open({
  batchable,
  waitUntil,
}: {
  batchable?: boolean
  waitUntil?: () => void
} = {}): Promise<{ readonly steps: string[]; readonly sockets: Socket[] }> {
  const steps: string[] = []
  const handler = createHttpHandler(
    async ({ target }) => {
      steps.push(`${target} begins`)
      await null
      steps.push(`${target} goes on`)
      return ok('')
    },
    batchable === undefined ? {} : { batchable },
  )
  const port = await serve(toNodeListener(handler, waitUntil ? { waitUntil } : {}))
  const sockets = places.map(() => connect(port, '127.0.0.1'))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return { steps, sockets }
}

/** Sends a request over each connection in one turn of the event loop, and returns what the handler did, in order. */
async function askAll({ steps, sockets }: Awaited<ReturnType<typeof open>>): Promise<readonly string[]> {
  // They are accepted and idle, so that only requests are left to be read.
  await pause(5)
  steps.length = 0
  const replies = Promise.all(sockets.map((socket) => once(socket, 'data')))
  for (const [place, socket] of sockets.entries()) socket.write(`GET /${place + 1} HTTP/1.1\r\nHost: a\r\n\r\n`)
  expect((await replies).map(([data]) => String(data).slice(9, 12))).toEqual(['200', '200', '200', '200'])
  return [...steps]
}

const bothOf = (place: number): string[] => [`/${place} begins`, `/${place} goes on`]

test('requests of one turn of the event loop are handled together step by step, all but the first', async () => {
  const opened = await open()
  const [first, ...others] = places
  const expected = [
    ...bothOf(first ?? 0),
    ...others.map((place) => `/${place} begins`),
    ...others.map((place) => `/${place} goes on`),
  ]
  // On a busy machine a millisecond may pass between two of them, and the second one comes alone then.
  await expect.poll(() => askAll(opened)).toEqual(expected)
})

const waitUntil = (): void => undefined

test.each([{ batchable: false }, { waitUntil }])('requests are handled separately with %o', async (options) => {
  const opened = await open(options)
  for (let round = 0; round < 10; round++) expect(await askAll(opened)).toEqual(places.flatMap(bothOf))
})

test('createHttpHandler rejects a "batchable" that is no boolean', () => {
  expect(() => createHttpHandler(async () => ok(''), { batchable: 'yes' as never })).toThrow(
    '"batchable" must be a boolean',
  )
})
