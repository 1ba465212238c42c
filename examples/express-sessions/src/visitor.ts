import type { Server } from '@latchkey/server'
import type { Request } from 'express'

export interface Visitor {
  readonly id: string
  readonly name: string
}

/**
 * Returns who sent a request, or `null` without a session.
 *
 * @throws Error if the service cannot say it: the store is down, and the visitor is not signed out.
 */
export async function readVisitor(service: Server, { headers, socket }: Request): Promise<Visitor | null> {
  const question = new globalThis.Request(`${service.baseUrl}${service.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: headers.cookie ?? '' },
    body: JSON.stringify({ query: '{ viewer { id name } }' }),
  })
  const response = await service.fetch(question, { peerAddress: socket.remoteAddress ?? null })
  if (response.status === 401) return null
  if (!response.ok) throw new Error(`the session could not be read: ${response.status}`)
  const { data } = (await response.json()) as { readonly data: { readonly viewer: Visitor | null } }
  return data.viewer
}
