import { listen } from '@latchkey/server/node'
import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { Bench } from '../support/bench.ts'
import type { Visitor } from '../support/visitor.ts'

export const patience = { timeout: 30_000, interval: 10 }

/** What a subscriber has received so far. */
export interface Heard {
  data: string
  readonly codes: string[]
  isOpen: boolean
  /** How the stream has ended; `null`: it is open. */
  ended: string | null
}

export type Subscribe = (visitor: Visitor, query: string) => Promise<Heard>

/** Serves the stores of a bench from a second server, over sockets, and returns how to subscribe there by each transport. */
export async function serveBoth(
  bench: Bench,
): Promise<{ readonly subscribe: readonly Subscribe[]; close(): Promise<void> }> {
  const listener = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [], print: null })
  const host = `127.0.0.1:${listener.port}`
  return {
    subscribe: [
      (visitor, query) => openEvents(`http://${host}/graphql/stream`, visitor, query),
      (visitor, query) => openSocket(`ws://${host}/graphql`, visitor, query),
    ],
    close: () => listener.close(),
  }
}

function credentialsOf({ bearer, jar }: Visitor): Record<string, string> {
  if (bearer) return { authorization: `Bearer ${bearer}` }
  return { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '), origin: 'https://example.com' }
}

async function openEvents(url: string, visitor: Visitor, query: string): Promise<Heard> {
  const heard: Heard = { data: '', codes: [], isOpen: false, ended: null }
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json', ...credentialsOf(visitor) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })
  if (response.status !== 200) {
    note(heard, await response.json())
    return Object.assign(heard, { ended: `refused with ${response.status}` })
  }
  void readEvents(response, heard)
  await vi.waitUntil(() => heard.isOpen, patience)
  return heard
}

async function readEvents({ body }: Response, heard: Heard): Promise<void> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    heard.isOpen = true
    text += chunk
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      if (frame.startsWith('event: next\ndata: ')) note(heard, JSON.parse(frame.slice(18)))
      if (frame.startsWith('event: complete')) heard.ended = 'with complete'
    }
  }
  heard.ended ??= 'without complete'
}

async function openSocket(url: string, visitor: Visitor, query: string): Promise<Heard> {
  const heard: Heard = { data: '', codes: [], isOpen: false, ended: null }
  const socket = new WebSocket(url, ['graphql-transport-ws'], { headers: credentialsOf(visitor) })
  onTestFinished(() => socket.terminate())
  const send = (message: object): void => socket.send(JSON.stringify(message))
  socket.on('open', () => send({ type: 'connection_init' }))
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse(String(data))
    if (type === 'connection_ack') {
      send({ id: '1', type: 'subscribe', payload: { query } })
      // Answered after what came before it.
      send({ type: 'ping' })
    }
    if (type === 'pong') heard.isOpen = true
    if (type === 'next') note(heard, payload)
    if (type === 'error') {
      note(heard, { errors: payload })
      heard.ended = 'refused with an error'
    }
  })
  socket.on('close', (code, reason) => {
    heard.ended ??= `closed with ${code} ${reason}`
  })
  await vi.waitUntil(() => heard.isOpen || heard.ended !== null, patience)
  return heard
}

interface Result {
  readonly data?: object | null
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[]
}

function note(heard: Heard, { data, errors = [] }: Result): void {
  if (data) heard.data += JSON.stringify(data)
  heard.codes.push(...errors.map(({ extensions }) => extensions.code))
}
