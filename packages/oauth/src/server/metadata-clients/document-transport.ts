import { abortAfter } from '@latchkey/core/internal'
import { findAddresses, type ResolveHost, resolveHost } from './host-addresses.ts'
import { type NetworkAnswer, type NetworkSocket, networkModule } from './node-network.ts'
import { orAbort } from './or-abort.ts'

/** Opens a connection to an address. */
export type ConnectTo = (to: { readonly address: string; readonly port: number }) => NetworkSocket

export type FetchedDocument =
  | { readonly kind: 'document'; readonly text: string; readonly cacheControl: string }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }

export interface DocumentTransportOptions {
  readonly resolve?: ResolveHost | undefined
  readonly connect?: ConnectTo | undefined
}

/** Fetches a document. `isOnThisMachine`: the host must be on loopback, else on the public internet. */
export type FetchDocument = (from: { readonly url: URL; readonly isOnThisMachine: boolean }) => Promise<FetchedDocument>

const longestMs = 5000
/** An attacker could name many addresses to make this service connect to each. */
const addressesTried = 3
const connectMs = 1500
const bytesAtMost = 5120
const headerBytesAtMost = 8192
/** Status 103 is useful once. A flood of informational answers would occupy the processor. */
const informationalAtMost = 4

/**
 * Creates a function that fetches a document with one GET request to a checked address. A second DNS answer, a redirect or a
 * proxy of the environment cannot change the address.
 */
export function createDocumentTransport({
  resolve = resolveHost,
  connect = connectTo,
}: DocumentTransportOptions): FetchDocument {
  return async ({ url, isOnThisMachine }) => {
    const signal = abortAfter(longestMs)
    const opened: NetworkSocket[] = []
    const open = (socket: NetworkSocket): NetworkSocket => {
      opened.push(socket)
      // An error without a listener would stop the process. `close` follows each error.
      socket.on('error', () => socket.destroy())
      return socket
    }
    try {
      const found = await orAbort(findAddresses(url.hostname, isOnThisMachine, resolve), signal)
      if (found.kind !== 'addresses') return found
      const port = portOf(url)
      const places = found.addresses.slice(0, addressesTried).map((address) => ({ address, port }))
      const { socket, address } = await connectToOneOf(places, (place) => open(connect(place)), signal)
      const secured = url.protocol === 'https:' ? await secure(open(startTls(socket, url)), signal) : socket
      return await orAbort(ask(url, address, secured), signal)
    } catch (error) {
      return { kind: 'failed', reason: signal.aborted ? 'there was no answer in time' : reasonOf(error) }
    } finally {
      for (const socket of opened) socket.destroy()
    }
  }
}

/** The fault of an answer. The message states a rule. Messages of other errors may quote the answer. */
class AnswerFault extends Error {}

function reasonOf(error: unknown): string {
  return error instanceof AnswerFault ? error.message : 'there was no connection, or it broke'
}

function connectTo({ address, port }: Parameters<ConnectTo>[0]): NetworkSocket {
  return networkModule('node:net').connect({ host: address, port })
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

async function connectToOneOf(
  places: readonly Parameters<ConnectTo>[0][],
  open: ConnectTo,
  signal: AbortSignal,
): Promise<{ readonly socket: NetworkSocket; readonly address: string }> {
  for (const place of places) {
    const socket = open(place)
    const limit = AbortSignal.any([signal, abortAfter(connectMs)])
    const isOpen = await orAbort(heard(socket, 'connect'), limit).catch(() => false)
    if (isOpen) return { socket, address: place.address }
    socket.destroy()
    signal.throwIfAborted()
  }
  throw new AnswerFault('there was no connection')
}

/** Starts TLS. The certificate must be valid for the host of the URL. */
function startTls(socket: NetworkSocket, { hostname }: URL): NetworkSocket {
  const host = hostname.replace(/^\[|\]$/g, '')
  const isAddress = /^[\d.]+$|:/.test(host)
  return networkModule('node:tls').connect({
    socket,
    // RFC 6066 §3 allows no addresses here. The certificate must then be valid for `host`.
    servername: isAddress ? '' : host,
    host,
    ALPNProtocols: ['http/1.1'],
    // Takes precedence over NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
  })
}

async function secure(socket: NetworkSocket, signal: AbortSignal): Promise<NetworkSocket> {
  if (await orAbort(heard(socket, 'secureConnect'), signal)) return socket
  throw new AnswerFault('there was no TLS for the name')
}

/** Returns whether the event came before the socket was closed. */
function heard(socket: NetworkSocket, event: 'connect' | 'secureConnect'): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once(event, () => resolve(true))
    socket.once('close', () => resolve(false))
  })
}

async function ask(url: URL, address: string, socket: NetworkSocket): Promise<FetchedDocument> {
  const request = networkModule('node:http').request({
    // Replaces the agent: no proxy of the environment, and no connection of another request.
    createConnection: () => socket,
    // A runtime that ignores `createConnection` connects to the checked address too.
    host: address,
    port: portOf(url),
    path: url.pathname,
    method: 'GET',
    setHost: false,
    headers: {
      Host: url.host,
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      // Some sites refuse requests without a name.
      'User-Agent': 'latchkey-oauth',
      Connection: 'close',
    },
    maxHeaderSize: headerBytesAtMost,
    insecureHTTPParser: false,
  })
  const { promise, resolve, reject } = Promise.withResolvers<NetworkAnswer>()
  let informational = 0
  request.on('information', () => {
    informational++
    if (informational > informationalAtMost) reject(new AnswerFault('there were too many informational answers'))
  })
  request.once('response', resolve)
  request.on('error', reject)
  // For example after a change of protocol.
  request.once('close', () => reject(new AnswerFault('there was no answer')))
  request.end()
  const answer = await promise
  checkHead(answer)
  const text = await readText(answer)
  return { kind: 'document', text, cacheControl: answer.headersDistinct['cache-control']?.join(',') ?? '' }
}

function checkHead({ statusCode, headersDistinct: headers }: NetworkAnswer): void {
  if (statusCode !== 200) throw new AnswerFault('the status is not 200')
  const [type = '', ...otherTypes] = headers['content-type'] ?? []
  if (otherTypes.length > 0 || !isJsonType(type)) throw new AnswerFault('the type is not JSON in UTF-8')
  const encodings = headers['content-encoding'] ?? []
  if (encodings.some((encoding) => encoding.toLowerCase() !== 'identity')) throw new AnswerFault('it is encoded')
  const lengths = headers['content-length'] ?? []
  if (lengths.some((length) => Number(length) > bytesAtMost)) throw tooLarge()
}

function isJsonType(header: string): boolean {
  const [type = '', ...parameters] = header.toLowerCase().split(';')
  const charsets = parameters
    .map((parameter) => parameter.trim())
    .filter((parameter) => parameter.startsWith('charset'))
  return (
    /^application\/(?:[\w.!#$&^+-]+\+)?json$/.test(type.trim()) &&
    charsets.every((charset) => /^charset="?utf-8"?$/.test(charset))
  )
}

async function readText(answer: NetworkAnswer): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  for await (const chunk of answer) {
    bytes += chunk.length
    if (bytes > bytesAtMost) throw tooLarge()
    text += decode(() => decoder.decode(chunk, { stream: true }))
  }
  return text + decode(() => decoder.decode())
}

function decode(work: () => string): string {
  try {
    return work()
  } catch {
    throw new AnswerFault('it is not UTF-8')
  }
}

function tooLarge(): AnswerFault {
  return new AnswerFault(`it has more than ${bytesAtMost} bytes`)
}
