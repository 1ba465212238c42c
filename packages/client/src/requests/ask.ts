import { postRequest } from '../answers/post-request.ts'
import { readData } from '../answers/read-answer.ts'
import { rejectMissed } from '../errors.ts'
import { abortAfter } from '../platform/time.ts'
import type { Identified, Page } from '../state/page.ts'
import { type OwnRequest, readOwnRequest } from './own-request.ts'

/** Sends a request with a credential, once. */
export async function transmit<User extends Identified>(
  { delivery, fetch = globalThis.fetch }: Page<User>,
  { request, body }: OwnRequest,
  token: string | null,
): Promise<Response> {
  const sent = new Request(request, { credentials: delivery.credentials, redirect: 'error', body })
  const shown = token ? await delivery.show(token, sent) : {}
  for (const [name, value] of Object.entries(shown)) sent.headers.set(name, value)
  return fetch(sent)
}

/** Sends an operation to the service once, within a limit of time, and returns its data. */
export async function ask<Data, User extends Identified = never>(
  page: Page<User>,
  query: string,
  token: string | null,
  variables?: unknown,
): Promise<Data> {
  const boundMs = 8000
  const own = await postOwn(page, query, variables, abortAfter(boundMs))
  const send = (): Promise<Response> => transmit(page, own, token).catch(rejectMissed)
  const response = await send()
  return readData(page.delivery.read?.(response) ? await send() : response)
}

/** Returns a request that posts an operation to the service. */
export function postOwn<User extends Identified>(
  { url }: Page<User>,
  query: string,
  variables?: unknown,
  signal?: AbortSignal,
): Promise<OwnRequest> {
  return readOwnRequest(url, postRequest(url, query, variables, signal))
}
