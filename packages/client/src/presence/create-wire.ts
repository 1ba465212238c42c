import { postRequest } from '../answers/post-request.ts'
import { readData } from '../answers/read-answer.ts'
import { clientError } from '../errors.ts'
import { abortAfter } from '../platform/time.ts'
import { toAbsolute } from '../requests/own-request.ts'
import type { Ask, Delivery } from './delivery.ts'

const boundMs = 8000

/** Sends a request to the service, once. */
export interface Wire {
  /** Sends a request with a credential. */
  transmit(request: Request, body: string | null, token: string | null): Promise<Response>
  readonly ask: Ask
}

/** Creates the wire to a service. */
export function createWire(
  url: string,
  { credentials, sign, read }: Delivery<unknown>,
  fetch: typeof globalThis.fetch = (...given) => globalThis.fetch(...given),
): Wire {
  const transmit: Wire['transmit'] = async (request, body, token) => {
    const sent = new Request(request, { credentials, redirect: 'error', ...(body && { body }) })
    if (token) await sign(sent, token)
    return fetch(sent)
  }
  const ask: Ask = async (query, token = null, variables) => {
    const request = postRequest(toAbsolute(url), query, variables, abortAfter(boundMs))
    const body = await request.text()
    const send = (): Promise<Response> => transmit(request, body, token).catch(rejectMissed)
    const response = await send()
    return readData(read?.(response) ? await send() : response)
  }
  return { transmit, ask }
}

function rejectMissed(error: Error): never {
  throw clientError('NETWORK', undefined, error)
}
